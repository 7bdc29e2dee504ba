-- Nothing is lost: a committed token is somewhere.
select format('token %s (%s, %s) is nowhere', f.token, f.route, f.fate) as detail
from chaos.fate f
where f.must_exist and not exists (select from chaos.place p where p.token = f.token)
order by f.token;
