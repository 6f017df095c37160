-- The newest versions of a session and where each ends, without sending the events along.
-- KEYS: log. ARGV: version after which to stop, most entries.
local found = {}
for _, entry in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', ARGV[2])) do
  local version = entry[2][2]
  if tonumber(version) <= tonumber(ARGV[1]) then break end
  found[#found + 1] = {version, entry[1]}
end
return found
