--- query
select json_object('id', id, 'message', json(cast(data as text)))
from blobs
where json_valid(cast(data as text)) and length(data) < 1000000
    and rowid >= coalesce((select rowid from blobs where id = :since), 0)
    and (:until = '' or rowid <= (select rowid from blobs where id = :until))
order by rowid

--- sessions
with agent(data) as (
    select case when json_valid(cast(value as text)) then cast(value as text) else unhexed(value) end
    from meta where key = '0'
)
select json_extract(data, '$.agentId'), coalesce(json_extract(data, '$.workspacePath'), (
    select substr(rest, 1, instr(rest, '\n') - 1) from (
        select substr(text, instr(text, 'Workspace Path: ') + 16) as rest from (
            select cast(data as text) as text from blobs where instr(data, cast('Workspace Path: ' as blob))
            limit 1
        )
    )
)), (select max(rowid) from blobs)
from agent where json_valid(data) and json_extract(data, '$.subagentInfo') is null

--- texts
with agent(data) as (
    select case when json_valid(cast(value as text)) then cast(value as text) else unhexed(value) end
    from meta where key = '0'
)
select json_extract(agent.data, '$.agentId'), cast(blobs.data as text) from blobs, agent
where json_valid(cast(blobs.data as text)) and case
    when :any_case then instr(lower(cast(blobs.data as text)), lower(:text))
    else instr(cast(blobs.data as text), :text)
end
