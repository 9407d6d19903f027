-- Charges the buckets of one request in order, up to the first that rejects the request.
--
-- KEYS: the buckets. ARGV: the time in microseconds, or an empty string for the server's time. Then for each bucket: interval
-- in microseconds, burst and cost. A bucket stores the time at which it is full, and the time of the last write. Returns two
-- numbers per charged or rejecting bucket: 1 if admitted or 0 if rejected, and the microseconds until it is full.
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
    -- If the clock was set back, the bucket keeps the fill level of its last write.
    local set_back = math.max(written - now, 0)
    full_at = math.max(full_at - set_back, now)
    local charged = full_at + interval * cost
    local admitted = cost == 0 or charged - now <= interval * burst
    local taken = admitted and cost > 0
    if taken then
        full_at = charged
    end
    if taken or set_back > 0 then
        -- The bucket expires ten seconds after it is full, because expiry uses a different clock reading.
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
