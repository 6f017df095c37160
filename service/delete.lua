-- Remove all of one session and leave a tombstone.
-- The race it closes: a commit of the same session. Either it came before, and its writes go too, or it finds
-- the tombstone and is refused as a whole.
-- KEYS: checkpoint, sessions, recent, open, feed, quarantine, tombstones, sealable,
--       then the session's log, segments, state, turns, specs, ids.
-- ARGV: session, time ms, feed length.
local session = ARGV[1]
local kinds = {'hash', 'hash', 'zset', 'zset', 'stream', 'stream', 'hash', 'zset'}
for i, wanted in ipairs(kinds) do
  local kind = redis.call('TYPE', KEYS[i]).ok
  if kind ~= 'none' and kind ~= wanted then return {'bad_key', KEYS[i]} end
end
if redis.call('HEXISTS', KEYS[7], session) == 1 then return {'absent', ''} end
local summary = redis.call('HGET', KEYS[2], session)
local known = redis.call('EXISTS', unpack(KEYS, 9)) > 0
if not summary and not known then return {'absent', ''} end

local facts = summary and cjson.decode(summary) or {epoch = '', version = 0, next_seq = 0}
-- Looked through only when the summary counts some, or is missing.
if not summary or (facts.quarantined or 0) > 0 then
  local from = '-'
  while true do
    local page = redis.call('XRANGE', KEYS[6], from, '+', 'COUNT', 500)
    for _, entry in ipairs(page) do
      if entry[2][2] == session then redis.call('XDEL', KEYS[6], entry[1]) end
      from = '(' .. entry[1]
    end
    if #page < 500 then break end
  end
end
redis.call('DEL', unpack(KEYS, 9))
redis.call('HDEL', KEYS[2], session)
redis.call('ZREM', KEYS[3], session)
redis.call('ZREM', KEYS[4], session)
redis.call('ZREM', KEYS[8], session)
redis.call('HSET', KEYS[7], session, facts.epoch .. ' ' .. ARGV[2])

local number = tonumber(redis.call('HGET', KEYS[1], 'feed')) or 0
local last = redis.call('XREVRANGE', KEYS[5], '+', '-', 'COUNT', 1)[1]
if last then number = math.max(number, tonumber(string.match(last[1], '^%d+'))) end
number = string.format('%.0f', number + 1)
local body = cmsgpack.pack({{session, facts.epoch, facts.version, facts.next_seq, 0, 1}})
redis.call('XADD', KEYS[5], 'MAXLEN', '~', ARGV[3], number .. '-0', 'c', body)
redis.call('HSET', KEYS[1], 'feed', number)
return {'deleted', ''}
