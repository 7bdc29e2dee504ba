-- rotate_history: turns the history rings whose period is over
-- column 1 ring: text
-- column 2 turned: boolean
-- transition: none
-- index: none
select t.ring, t.turned from rowlock.rotate_history() t;
