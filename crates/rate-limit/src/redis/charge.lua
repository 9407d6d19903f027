-- Charges the buckets of one request in order, up to the first that refuses.
--
-- KEYS: the buckets. ARGV: the time in microseconds, or nothing for the server's; then interval in microseconds, burst and
-- cost of each bucket. A bucket holds the time at which it is full, and the time at which that was written. Returns, for each
-- bucket that was charged or refused, 1 or 0 for admitted or refused, and the microseconds until it is full.
local now = tonumber(ARGV[1])
if not now then
    local time = redis.call('TIME')
    now = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local response = {}
for index, bucket in ipairs(KEYS) do
    local interval = tonumber(ARGV[3 * index - 1])
    local burst = tonumber(ARGV[3 * index])
    local cost = tonumber(ARGV[3 * index + 1])
    local full_at, written = now, now
    local held = redis.call('GET', bucket)
    if held then
        full_at, written = string.match(held, '^(%d+) (%d+)$')
        full_at, written = tonumber(full_at), tonumber(written)
    end
    -- If the clock was set back, the bucket owes what it owed when it was written.
    local set_back = math.max(written - now, 0)
    full_at = math.max(full_at - set_back, now)
    local charged = full_at + interval * cost
    local admitted = cost == 0 or charged - now <= interval * burst
    local taken = admitted and cost > 0
    if taken then
        full_at = charged
    end
    if taken or set_back > 0 then
        -- It expires ten seconds after it is full, since expiry uses another reading of the clock.
        local expiry = math.ceil((full_at - now) / 1000) + 10000
        redis.call('SET', bucket, string.format('%.0f %.0f', full_at, now), 'PX', expiry)
    end
    response[2 * index - 1] = admitted and 1 or 0
    response[2 * index] = full_at - now
    if not admitted then
        break
    end
end
return response
