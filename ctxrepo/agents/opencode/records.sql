--- query
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
select id, directory, time_updated || ' ' || (select count(*) from part where session_id = session.id)
from session where parent_id is null order by time_updated desc

--- texts
select session_id, data from part
where case when :any_case then instr(lower(data), lower(:text)) else instr(data, :text) end
