-- Append one request's events to the ingest stream, whole or not at all.
-- The race it closes: two requests with one event id at the same time. The second finds the first one's entry.
-- KEYS: in, recent event ids of the session, tombstones.
-- ARGV: session, lifetime of the ids in s, most ids kept; then per event: event id or '', raw.
local function kind_is(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == 'none' or kind == wanted
end
if not kind_is(KEYS[1], 'stream') then return {'bad_key', KEYS[1]} end
if not kind_is(KEYS[2], 'hash') then return {'bad_key', KEYS[2]} end
if not kind_is(KEYS[3], 'hash') then return {'bad_key', KEYS[3]} end
if redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then return {'gone', ''} end

local reply, has_ids = {'appended'}, false
for at = 4, #ARGV, 2 do
  local event_id = ARGV[at]
  local earlier = event_id ~= '' and redis.call('HGET', KEYS[2], event_id)
  if earlier then
    reply[#reply + 1] = 'd' .. earlier
  else
    local entry_id = redis.call('XADD', KEYS[1], '*', 's', ARGV[1], 'e', ARGV[at + 1])
    if event_id ~= '' then
      redis.call('HSET', KEYS[2], event_id, entry_id)
      has_ids = true
    end
    reply[#reply + 1] = 'n' .. entry_id
  end
end
if has_ids then
  -- The projector's own memory of 10,000 ids is the authority: this one only saves it work, and may be dropped.
  if redis.call('HLEN', KEYS[2]) > tonumber(ARGV[3]) then
    redis.call('DEL', KEYS[2])
  else
    redis.call('EXPIRE', KEYS[2], ARGV[2])
  end
end
return reply
