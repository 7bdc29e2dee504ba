-- Nothing is there that was rolled back or refused, or that nobody enqueued; and no rollback was told of what committed.
select format('token %s (%s, %s) is %s as job %s', p.token, coalesce(f.route, 'no route'), coalesce(f.fate, 'never enqueued'), p.place, p.id) as detail
from chaos.place p left join chaos.fate f on f.token = p.token
where f.token is null or f.must_exist is false
union all
select format('token %s was told to be %s, and its witness is there', e.token, e.fate)
from chaos.enqueued e join chaos.token t on t.token = e.token
where e.fate in ('rolled back', 'refused');
