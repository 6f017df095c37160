-- The newest versions of a session and where each ends, without sending the events along: first those of the log,
-- then, until there are enough, the segments that hold older ones.
-- KEYS: log, segments. ARGV: version after which to stop, most versions.
local after, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local found, segments = {}, {}
local reached = false
for _, entry in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', most)) do
  local version = entry[2][2]
  if tonumber(version) <= after then
    reached = true
    break
  end
  found[#found + 1] = {version, entry[1]}
end
local SEGMENTS_PER_CALL = 8
local below, count = '+', #found
while not reached and count < most do
  local page = redis.call('XREVRANGE', KEYS[2], below, '-', 'COUNT', SEGMENTS_PER_CALL)
  for _, entry in ipairs(page) do
    local version, counts = entry[2][2], entry[2][4]
    if tonumber(version) <= after or count >= most then
      reached = true
      break
    end
    segments[#segments + 1] = {entry[1], version, counts}
    count = count + #cmsgpack.unpack(counts)
    below = '(' .. entry[1]
  end
  if #page < SEGMENTS_PER_CALL then break end
end
return {found, segments}
