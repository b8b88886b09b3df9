--- all
select number, name, agent, id, path, cwd, mtime, mark, last, read, finish, before, raw, floor,
    not exists(select 1 from message where session = number)
from session

--- session
insert into session(name, agent, id, path, cwd, mtime, mark, last, read, finish, before, raw, floor)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict(name) do update set
    agent = excluded.agent, id = excluded.id, path = excluded.path, cwd = excluded.cwd,
    mtime = excluded.mtime, mark = excluded.mark, last = max(last, excluded.last), read = excluded.read, finish = excluded.finish,
    before = excluded.before, raw = excluded.raw
returning number

--- replaced
select key, block from message where session = :session and key not in (select value from json_each(:keys))
and (case when name = '' then place >= :since and place < :until
    else name in (select value from json_each(:names)) end
    or key in (select value from json_each(:grown)))

--- last
select place, name from message where session = ? and place between 0 and ? order by place desc limit 1

--- places
select m.key, m.place, m.name from message m join session s on s.number = m.session
where s.name = ? order by m.place

--- keys
select m.key, m.name from message m join session s on s.number = m.session
where s.agent = ? and s.id = ? order by m.place

--- blocks
select distinct block from message where key in (select value from json_each(?))

--- earlier
update message set place = place - ? where session = ?

--- earlier_lines
update raw set place = place - ? where session = ?

--- old
select number from session where last < ? and exists(select 1 from message where session = number)

--- oldest
select number from session where exists(select 1 from message where session = number) order by last limit 1

--- size
select (select count(distinct session) from message), (select count(distinct key) from message)

--- oldest_moment
select last from session where exists(select 1 from message where session = number) order by last limit 1
