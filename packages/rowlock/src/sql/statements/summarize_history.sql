-- summarize_history: brings the summaries by which history is found up to date
-- column 1 done: text
-- transition: none
-- index: finished_id
select rowlock.summarize_history()::text;
