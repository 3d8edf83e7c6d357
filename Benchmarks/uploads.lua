-- Uploads one photo again and again: PHOTO names the file.
local file = assert(io.open(os.getenv("PHOTO"), "rb"))
local photo = file:read("*a")
file:close()

local boundary = "serialscan-benchmark"
wrk.method = "POST"
wrk.headers["Content-Type"] = "multipart/form-data; boundary=" .. boundary
wrk.body = "--" .. boundary .. "\r\n"
  .. 'Content-Disposition: form-data; name="image"; filename="photo.jpg"\r\n'
  .. "Content-Type: image/jpeg\r\n\r\n" .. photo .. "\r\n--" .. boundary .. "--\r\n"

local threads = {}

function setup(thread) table.insert(threads, thread) end

function init() counts = {} end

function response(status) counts[status] = (counts[status] or 0) + 1 end

function done(summary, latency)
  local totals = {}
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("counts")) do totals[status] = (totals[status] or 0) + count end
  end
  for status, count in pairs(totals) do
    io.write(string.format("status %d: %d (%.0f a second)\n", status, count, count / (summary.duration / 1e6)))
  end
  io.write(string.format("answer p50 %.1f ms, p99 %.1f ms\n", latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
