-- stop_listening: forgets every channel of the session
-- transition: none
-- index: none, reads no table
unlisten *
