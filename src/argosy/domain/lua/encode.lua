-- A script's result as JSON, with the rules of the library that upstream uses: an empty table is an array, a table is a list or a map and
-- never both, no table stands in it twice. Written in Lua so that it runs under the script's own budget.

local type, pairs, error, format, gsub, concat, floor = type, pairs, error, string.format, string.gsub, table.concat, math.floor

local DEEPEST = 200

local ESCAPES = { ['"'] = '\\"', ["\\"] = "\\\\" }
for code = 0, 31 do ESCAPES[string.char(code)] = format("\\u%04x", code) end
ESCAPES[string.char(127)] = string.char(127)

local function quoted(text) return '"' .. gsub(text, '[%c"\\]', ESCAPES) .. '"' end

local function number(value)
  if value ~= value or value >= 1 / 0 or value <= -1 / 0 then error("the result holds a number that JSON has not", 0) end
  if floor(value) == value and value < 1e15 and value > -1e15 then return format("%d", value) end
  return format("%.17g", value)
end

local write

local function list(value, seen, depth)
  local parts, count = {}, 0
  for key in pairs(value) do
    if type(key) ~= "number" then error("cannot encode mixed or invalid key types", 0) end
    count = count + 1
  end
  for at = 1, count do
    if value[at] == nil then error("cannot encode sparse array", 0) end
    parts[at] = write(value[at], seen, depth)
  end
  return "[" .. concat(parts, ",") .. "]"
end

local function map(value, seen, depth)
  local parts, count = {}, 0
  for key, item in pairs(value) do
    if type(key) ~= "string" then error("cannot encode mixed or invalid key types", 0) end
    count = count + 1
    parts[count] = quoted(key) .. ":" .. write(item, seen, depth)
  end
  return "{" .. concat(parts, ",") .. "}"
end

function write(value, seen, depth)
  local kind = type(value)
  if kind == "string" then return quoted(value) end
  if kind == "number" then return number(value) end
  if kind == "boolean" then return value and "true" or "false" end
  if kind == "nil" then return "null" end
  if kind ~= "table" then error("cannot encode " .. kind .. " to JSON", 0) end
  if seen[value] or depth > DEEPEST then error("cannot encode recursively nested tables to JSON", 0) end
  seen[value] = true
  local first = next(value)
  if type(first) == "string" then return map(value, seen, depth + 1) end
  return list(value, seen, depth + 1)
end

return function(value) return write(value, {}, 0) end
