--- query
select json_object(
    'type', base.message_type, 'uuid', base.uuid, 'parentUuid', base.parent_uuid,
    'sessionId', base.session_id, 'cwd', base.cwd, 'timestamp', strftime('%Y-%m-%dT%H:%M:%S.000Z', base.timestamp, 'unixepoch'),
    'isSidechain', json(iif(base.isSidechain, 'true', 'false')),
    'message', json(coalesce(users.message, agents.message))
)
from base_messages base left join user_messages users on users.uuid = base.uuid
    left join assistant_messages agents on agents.uuid = base.uuid
where base.session_id = :session and json_valid(coalesce(users.message, agents.message))
    and length(coalesce(users.message, agents.message)) < 1000000
    and base.rowid >= coalesce((select rowid from base_messages where uuid = :since), 0)
    and (:until = '' or base.rowid <= (select rowid from base_messages where uuid = :until))
order by base.rowid

--- sessions
select session_id, max(cwd), count(*) || ' ' || max(timestamp) from base_messages
group by session_id order by max(timestamp) desc

--- texts
select base.session_id, coalesce(users.message, agents.message)
from base_messages base left join user_messages users on users.uuid = base.uuid
    left join assistant_messages agents on agents.uuid = base.uuid
where case
    when :any_case then instr(lower(coalesce(users.message, agents.message)), lower(:text))
    else instr(coalesce(users.message, agents.message), :text)
end
