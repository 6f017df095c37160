-- Replace the oldest entries of a session's log by one compressed segment that holds the same batches.
-- The races it closes: a second sealer, and a delete. Either finds that the log does not begin with the entry that
-- was read, and changes nothing; what lies between two ids of an append-only log cannot have changed.
-- KEYS: log, segments, sealable.
-- ARGV: session, first id, last id, next id, segment id, version, counts, body, due ms or '' while more is left.
local function kind_is(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == 'none' or kind == wanted
end

if not kind_is(KEYS[1], 'stream') then return {'bad_key', KEYS[1]} end
if not kind_is(KEYS[2], 'stream') then return {'bad_key', KEYS[2]} end
if not kind_is(KEYS[3], 'zset') then return {'bad_key', KEYS[3]} end
local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
if not first or first[1] ~= ARGV[2] then return {'changed', ''} end
if #redis.call('XRANGE', KEYS[1], ARGV[3], ARGV[3]) == 0 then return {'changed', ''} end

-- The segment first: if the engine refuses it (out of memory), nothing is gone.
redis.call('XADD', KEYS[2], ARGV[5], 'v', ARGV[6], 'n', ARGV[7], 'b', ARGV[8])
redis.call('XTRIM', KEYS[1], 'MINID', '=', ARGV[4])
-- A newer mark means that more came meanwhile.
if ARGV[9] ~= '' and redis.call('ZSCORE', KEYS[3], ARGV[1]) == ARGV[9] then
  redis.call('ZREM', KEYS[3], ARGV[1])
end
return {'sealed', ''}
