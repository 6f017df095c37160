-- One commit of one partition: check everything, then write everything, the checkpoint last.
-- Neither scripts nor MULTI roll back, so nothing may fail after the first write: every key's type, the head of
-- every log and the ids that will be given are looked at before.
--
-- KEYS 1..9: checkpoint, in, sessions, recent, open, feed, quarantine, tombstones, sealable; then each touched
--            session's log, followed by its state and turns where a save is given and its specs where specs are given.
-- ARGV: token, expected id, new id, consumed count, time ms, trim-before id or '', feed body or '', feed length,
--       dropped count, session count, quarantine count;
--       per session: name, expected next seq, log entry id or '', body, version, summary, stale timer 0|1,
--                    sealable 0|1, words of state, words of turns, words of specs, then those words;
--       per quarantined entry: session, seq, entry id, reason, raw.
local WORDS_PER_CALL = 1000 -- unpack() is bounded by Lua's C stack (8000)

local function kind_is(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == 'none' or kind == wanted
end

-- Whether a log ends right before `expected`. XINFO tells the last id of a stream whose entries are all sealed; on
-- any other it would bring the first and the last entry along.
local function ends_before(log, expected)
  local length = redis.pcall('XLEN', log)
  if type(length) ~= 'number' then return false end
  if length > 0 then
    local beyond = string.format('%.0f', tonumber(expected) + 1)
    return #redis.call('XRANGE', log, beyond, '+', 'COUNT', 1) == 0
  end
  local facts = redis.pcall('XINFO', 'STREAM', log)
  for i = 1, #facts, 2 do
    if facts[i] == 'last-generated-id' then return string.match(facts[i + 1], '^%d+') == expected end
  end
  return false
end

local stored = redis.pcall('HMGET', KEYS[1], 'token', 'id', 'feed')
if stored.err then return {'bad_key', KEYS[1]} end
if stored[1] ~= ARGV[1] then return {'fenced', stored[1] or ''} end
local stored_id = stored[2] or '0-0'
-- A lost reply: the same commit is here already, under the same token.
if stored_id == ARGV[3] then return {'moved', ''} end
if stored_id ~= ARGV[2] then return {'stale_checkpoint', stored_id} end

local kinds = {'hash', 'stream', 'hash', 'zset', 'zset', 'stream', 'stream', 'hash', 'zset'}
for i = 1, #kinds do
  if not kind_is(KEYS[i], kinds[i]) then return {'bad_key', KEYS[i]} end
end

local sessions = {}
local at, key = 12, #kinds + 1
local has_tombstones = redis.call('EXISTS', KEYS[8]) == 1
for i = 1, tonumber(ARGV[10]) do
  local one = {at = at, log = KEYS[key]}
  local expected = ARGV[at + 1]
  -- The race with `delete`: its tombstone came after the projector's read.
  if has_tombstones and redis.call('HEXISTS', KEYS[8], ARGV[at]) == 1 then return {'gone', ARGV[at]} end
  if expected == '0' then
    if redis.call('EXISTS', one.log) == 1 then return {'bad_key', one.log} end
  elseif not ends_before(one.log, expected) then
    return {'bad_key', one.log}
  end
  key = key + 1
  one.state, one.turns, one.specs = tonumber(ARGV[at + 8]), tonumber(ARGV[at + 9]), tonumber(ARGV[at + 10])
  if one.state > 0 then
    one.state_key, one.turns_key = KEYS[key], KEYS[key + 1]
    if not kind_is(one.state_key, 'hash') then return {'bad_key', one.state_key} end
    if not kind_is(one.turns_key, 'hash') then return {'bad_key', one.turns_key} end
    key = key + 2
  end
  if one.specs > 0 then
    one.specs_key = KEYS[key]
    if not kind_is(one.specs_key, 'hash') then return {'bad_key', one.specs_key} end
    key = key + 1
  end
  sessions[i] = one
  at = at + 11 + one.state + one.turns + one.specs
end

-- Writes.
local function call_in_slices(command, key, words)
  for from = 1, #words, WORDS_PER_CALL do
    redis.call(command, key, unpack(words, from, math.min(from + WORDS_PER_CALL - 1, #words)))
  end
end

local function set_fields(key, from, count)
  for first = from, from + count - 1, WORDS_PER_CALL do
    redis.call('HSET', key, unpack(ARGV, first, math.min(first + WORDS_PER_CALL - 1, from + count - 1)))
  end
end

local summaries, recent, waiting_for_events, settled, sealable = {}, {}, {}, {}, {}
for _, one in ipairs(sessions) do
  local a = one.at
  local name = ARGV[a]
  if ARGV[a + 2] ~= '' then
    redis.call('XADD', one.log, ARGV[a + 2], 'v', ARGV[a + 4], 'b', ARGV[a + 3])
    recent[#recent + 1] = ARGV[5]
    recent[#recent + 1] = name
    if ARGV[a + 6] == '1' then
      waiting_for_events[#waiting_for_events + 1] = ARGV[5]
      waiting_for_events[#waiting_for_events + 1] = name
    else
      settled[#settled + 1] = name
    end
    if ARGV[a + 7] == '1' then
      sealable[#sealable + 1] = ARGV[5]
      sealable[#sealable + 1] = name
    end
  end
  summaries[#summaries + 1] = name
  summaries[#summaries + 1] = ARGV[a + 5]
  local words = a + 11
  if one.state > 0 then set_fields(one.state_key, words, one.state) end
  if one.turns > 0 then set_fields(one.turns_key, words + one.state, one.turns) end
  if one.specs > 0 then set_fields(one.specs_key, words + one.state + one.turns, one.specs) end
end
call_in_slices('HSET', KEYS[3], summaries)
call_in_slices('ZADD', KEYS[4], recent)
call_in_slices('ZADD', KEYS[5], waiting_for_events)
call_in_slices('ZREM', KEYS[5], settled)
call_in_slices('ZADD', KEYS[9], sealable)

for _ = 1, tonumber(ARGV[11]) do
  redis.call('XADD', KEYS[7], '*', 'session', ARGV[at], 'seq', ARGV[at + 1], 'entry_id', ARGV[at + 2],
    'reason', ARGV[at + 3], 'raw', ARGV[at + 4])
  at = at + 5
end

if ARGV[7] ~= '' then
  -- Feed ids count commits without a hole, so that a reader sees by the id alone that it missed one.
  local number = tonumber(stored[3]) or 0
  local last = redis.call('XREVRANGE', KEYS[6], '+', '-', 'COUNT', 1)[1]
  if last then number = math.max(number, tonumber(string.match(last[1], '^%d+'))) end
  number = string.format('%.0f', number + 1)
  redis.call('XADD', KEYS[6], 'MAXLEN', '~', ARGV[8], number .. '-0', 'c', ARGV[7])
  redis.call('HSET', KEYS[1], 'feed', number)
end

-- For `XINFO GROUPS` and lag exporters alone; a group that somebody removed is no reason to stop.
redis.pcall('XGROUP', 'SETID', KEYS[2], 'turnfold', ARGV[3], 'ENTRIESREAD', ARGV[4])
if ARGV[6] ~= '' then redis.pcall('XTRIM', KEYS[2], 'MINID', '~', ARGV[6]) end
if ARGV[9] ~= '0' then redis.pcall('HINCRBY', KEYS[1], 'dropped', ARGV[9]) end
redis.call('HSET', KEYS[1], 'id', ARGV[3], 'count', ARGV[4])
return {'committed', ''}
