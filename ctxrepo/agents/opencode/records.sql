--- query
select json_object(
    'message', said.id, 'session', session_id, 'is_copy', 0,
    'role', case said.type when 'shell' then 'user' else said.type end,
    'at', json_extract(data, '$.time.created'),
    'part', case said.type
        when 'assistant' then json_remove(part.value, '$.state.content', '$.state.structured')
        else json_object('type', 'text', 'text',
            coalesce(json_extract(data, '$.text'), json_extract(data, '$.command'))) end
)
from session_message as said,
    json_each(case said.type when 'assistant' then data else '{"content": [{}]}' end, '$.content') as part
where session_id = :session and said.type in ('user', 'assistant', 'shell') and part.type = 'object'
    and json_valid(data) and length(data) < 1000000
    and seq >= coalesce((select seq from session_message where id = :since), 0)
    and (:until = '' or seq <= (select seq from session_message where id = :until))
order by seq, part.key;

select json_object(
    'message', message.id, 'session', message.session_id, 'is_copy',
    json_extract(message.data, '$.time.created') < session.time_created,
    'role', json_extract(message.data, '$.role'), 'at', json_extract(message.data, '$.time.created'),
    'is_summary', json_extract(message.data, '$.summary') is 1,
    'part', json_remove(part.data, '$.state.output', '$.state.metadata', '$.state.attachments')
)
from message cross join part on part.message_id = message.id
    cross join session on session.id = message.session_id
where message.session_id = :session
    and message.id >= :since and (message.id <= :until or :until = '')
    and json_valid(part.data) and json_valid(message.data) and length(part.data) < 1000000
order by message.id, part.id

--- sessions
select id, directory,
    time_updated || ' ' || (select count(*) from session_message where session_id = session_v2.id)
from session_v2 where parent_id is null order by time_updated desc;

select id, directory,
    time_updated || ' ' || (select count(*) from session_message where session_id = session_v2.id)
from session_v2 where not exists (select 1 from pragma_table_info('session_v2') where name = 'parent_id')
order by time_updated desc;

select id, directory, time_updated || ' ' || (select count(*) from part where session_id = session.id)
from session where parent_id is null order by time_updated desc

--- texts
select session_id, data from session_message
where case when :any_case then instr(lower(data), lower(:text)) else instr(data, :text) end;

select session_id, data from part
where case when :any_case then instr(lower(data), lower(:text)) else instr(data, :text) end
