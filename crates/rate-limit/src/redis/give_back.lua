-- Refunds the charge of a request that another bucket rejected.
--
-- KEYS: the bucket. ARGV: the time in microseconds, or an empty string for the server's time; then interval in microseconds
-- and cost. A bucket stores the time at which it is full, and the time of the last write.
local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local held = redis.call('GET', KEYS[1])
if held then
    local full_at, written = string.match(held, '^(%d+) (%d+)$')
    full_at, written = tonumber(full_at) - tonumber(ARGV[2]) * tonumber(ARGV[3]), tonumber(written)
    -- The clock may have been set back.
    local left = full_at - math.min(written, now)
    if left <= 0 then
        redis.call('DEL', KEYS[1])
    else
        local expiry = math.ceil(left / 1000) + 10000
        redis.call('SET', KEYS[1], string.format('%.0f %.0f', full_at, written), 'PX', expiry)
    end
end
return {}
