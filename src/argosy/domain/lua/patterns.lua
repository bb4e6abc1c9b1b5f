-- string.find, match, gmatch and gsub in Lua itself. The ones in C can run for hours on a short pattern with several quantifiers, and no hook
-- sees them; here every step counts. One character at a time is left to C: it knows what %a and [^%s] mean.

local byte, sub, find, rep, format = string.byte, string.sub, string.find, string.rep, string.format
local type, tostring, tonumber, error, unpack, concat = type, tostring, tonumber, error, unpack, table.concat

local MOST_CAPTURES = 32
local OPEN, CLOSE, PERCENT, CARET, DOLLAR, DOT, LEFT, RIGHT, STAR, PLUS, MINUS, QUESTION = byte("()%^$.[]*+-?", 1, -1)
local LOWER_B, LOWER_F, ZERO, ONE, NINE = byte("bf019", 1, -1)
local QUANTIFIERS = { [STAR] = "*", [PLUS] = "+", [MINUS] = "-", [QUESTION] = "?" }

local function texts(name, ...)
  local given = { ... }
  for at = 1, 2 do
    local kind = type(given[at])
    if kind == "number" then given[at] = tostring(given[at])
    elseif kind ~= "string" then error(format("bad argument #%d to '%s' (string expected, got %s)", at, name, kind == "nil" and "no value" or kind), 3) end
  end
  return given[1], given[2]
end

-- Whether a byte is of a class, asked of C once for each byte and class.
local function class(source)
  local known, question = {}, "^" .. source
  return function(code)
    local is = known[code]
    if is == nil then
      is = code ~= nil and find(format("%c", code), question) ~= nil
      if code ~= nil then known[code] = is end
    end
    return is
  end
end

local function class_end(pattern, at)
  local code = byte(pattern, at)
  if code == PERCENT then
    if at == #pattern then error("malformed pattern (ends with '%')", 0) end
    return at + 1
  end
  if code ~= LEFT then return at end
  at = at + 1
  if byte(pattern, at) == CARET then at = at + 1 end
  repeat
    if at > #pattern then error("malformed pattern (missing ']')", 0) end
    if byte(pattern, at) == PERCENT then at = at + 1 end
    at = at + 1
  until byte(pattern, at) == RIGHT
  return at
end

local function escaped(pattern, at)
  local code = byte(pattern, at + 1)
  if code == LOWER_B then
    if at + 3 > #pattern then error("unbalanced pattern", 0) end
    return { kind = "balance", from = byte(pattern, at + 2), to = byte(pattern, at + 3) }, at + 4
  elseif code == LOWER_F then
    if byte(pattern, at + 2) ~= LEFT then error("missing '[' after '%f' in pattern", 0) end
    local last = class_end(pattern, at + 2)
    return { kind = "frontier", is = class(sub(pattern, at + 2, last)) }, last + 1
  elseif code and code >= ZERO and code <= NINE then
    return { kind = "again", which = code - ZERO }, at + 2
  end
end

local function item(pattern, at)
  local code = byte(pattern, at)
  if code == OPEN then
    if byte(pattern, at + 1) == CLOSE then return { kind = "place" }, at + 2 end
    return { kind = "open" }, at + 1
  elseif code == CLOSE then return { kind = "close" }, at + 1
  elseif code == DOLLAR and at == #pattern then return { kind = "end" }, at + 1
  elseif code == PERCENT then
    local special, after = escaped(pattern, at)
    if special then return special, after end
  end
  local last = class_end(pattern, at)
  local single = { kind = "one", is = class(sub(pattern, at, last)) }
  local quantifier = QUANTIFIERS[byte(pattern, last + 1)]
  if not quantifier then return single, last + 1 end
  single.kind = quantifier
  return single, last + 2
end

local function compiled(pattern, at)
  local items, count = {}, 0
  while at <= #pattern do
    count = count + 1
    items[count], at = item(pattern, at)
  end
  return items
end

local match

local kinds = {}

kinds.one = function(state, at, place)
  if state.items[place].is(byte(state.text, at)) then return match(state, at + 1, place + 1) end
end

kinds["?"] = function(state, at, place)
  if state.items[place].is(byte(state.text, at)) then
    local ends = match(state, at + 1, place + 1)
    if ends then return ends end
  end
  return match(state, at, place + 1)
end

local function greedy(state, at, place, least)
  local is, text, count = state.items[place].is, state.text, 0
  while is(byte(text, at + count)) do count = count + 1 end
  while count >= least do
    local ends = match(state, at + count, place + 1)
    if ends then return ends end
    count = count - 1
  end
end

kinds["*"] = function(state, at, place) return greedy(state, at, place, 0) end
kinds["+"] = function(state, at, place) return greedy(state, at, place, 1) end

kinds["-"] = function(state, at, place)
  local is, text = state.items[place].is, state.text
  while true do
    local ends = match(state, at, place + 1)
    if ends then return ends end
    if not is(byte(text, at)) then return nil end
    at = at + 1
  end
end

kinds["end"] = function(state, at, place)
  if at == #state.text + 1 then return match(state, at, place + 1) end
end

local function opened(state, at, place, length)
  local captures = state.captures
  if #captures >= MOST_CAPTURES then error("too many captures", 0) end
  captures[#captures + 1] = { from = at, length = length }
  local ends = match(state, at, place + 1)
  if not ends then captures[#captures] = nil end
  return ends
end

kinds.open = function(state, at, place) return opened(state, at, place, nil) end
kinds.place = function(state, at, place) return opened(state, at, place, "place") end

kinds.close = function(state, at, place)
  local captures = state.captures
  for which = #captures, 1, -1 do
    local capture = captures[which]
    if not capture.length then
      capture.length = at - capture.from
      local ends = match(state, at, place + 1)
      if not ends then capture.length = nil end
      return ends
    end
  end
  error("invalid pattern capture", 0)
end

kinds.balance = function(state, at, place)
  local text, pair = state.text, state.items[place]
  if byte(text, at) ~= pair.from then return nil end
  local depth, position = 1, at + 1
  while position <= #text do
    local code = byte(text, position)
    if code == pair.to then
      depth = depth - 1
      if depth == 0 then return match(state, position + 1, place + 1) end
    elseif code == pair.from then depth = depth + 1 end
    position = position + 1
  end
end

kinds.frontier = function(state, at, place)
  local is, text = state.items[place].is, state.text
  if not is(byte(text, at - 1) or 0) and is(byte(text, at) or 0) then return match(state, at, place + 1) end
end

kinds.again = function(state, at, place)
  local capture = state.captures[state.items[place].which]
  if not capture or not capture.length then error("invalid capture index", 0) end
  if capture.length == "place" then error("invalid capture index", 0) end
  local said = sub(state.text, capture.from, capture.from + capture.length - 1)
  if sub(state.text, at, at + #said - 1) == said then return match(state, at + #said, place + 1) end
end

-- The position after the match of the items from `place` on, or nil.
function match(state, at, place)
  local next_item = state.items[place]
  if not next_item then return at end
  return kinds[next_item.kind](state, at, place)
end

-- The first match from `at` on: where it starts, where it ends (exclusive), its captures.
local function search(text, items, at, anchored)
  repeat
    local state = { text = text, items = items, captures = {} }
    local ends = match(state, at, 1)
    if ends then return at, ends, state.captures end
    at = at + 1
  until anchored or at > #text + 1
end

local function said(text, capture)
  if not capture.length then error("unfinished capture", 0) end
  if capture.length == "place" then return capture.from end
  return sub(text, capture.from, capture.from + capture.length - 1)
end

local function all(text, captures)
  local values = {}
  for at = 1, #captures do values[at] = said(text, captures[at]) end
  return values
end

local function start(text, from)
  from = tonumber(from) or 1
  if from < 0 then from = from + #text + 1 end
  return math.max(1, math.min(from - from % 1, #text + 1))
end

local function prepared(pattern)
  local anchored = byte(pattern, 1) == CARET
  return compiled(pattern, anchored and 2 or 1), anchored
end

local offered = { texts = texts }

function offered.find(text, pattern, from)
  text, pattern = texts("find", text, pattern)
  local items, anchored = prepared(pattern)
  local at, ends, captures = search(text, items, start(text, from), anchored)
  if at then return at, ends - 1, unpack(all(text, captures)) end
end

function offered.match(text, pattern, from)
  text, pattern = texts("match", text, pattern)
  local items, anchored = prepared(pattern)
  local at, ends, captures = search(text, items, start(text, from), anchored)
  if not at then return nil end
  if #captures == 0 then return sub(text, at, ends - 1) end
  return unpack(all(text, captures))
end

function offered.gmatch(text, pattern)
  text, pattern = texts("gmatch", text, pattern)
  local items, at = compiled(pattern, 1), 1
  return function()
    if at > #text + 1 then return nil end
    local from, ends, captures = search(text, items, at, false)
    if not from then
      at = #text + 2
      return nil
    end
    at = ends > from and ends or ends + 1
    if #captures == 0 then return sub(text, from, ends - 1) end
    return unpack(all(text, captures))
  end
end

local function expanded(by, whole, captures)
  local parts, count, at = {}, 0, 1
  while at <= #by do
    local code = byte(by, at)
    if code == PERCENT then
      at = at + 1
      code = byte(by, at)
      if code == ZERO then parts[count + 1] = whole
      elseif code and code >= ONE and code <= NINE then
        local which = code - ZERO
        local value = captures[which]
        if value == nil and which == 1 and #captures == 0 then value = whole end
        if value == nil then error("invalid capture index", 0) end
        parts[count + 1] = value
      else parts[count + 1] = sub(by, at, at) end
    else parts[count + 1] = sub(by, at, at) end
    count, at = count + 1, at + 1
  end
  return concat(parts)
end

local function replacement(by, whole, captures)
  local kind, value = type(by), nil
  if kind == "string" then return expanded(by, whole, captures) end
  if kind == "table" then value = by[captures[1] == nil and whole or captures[1]]
  elseif #captures == 0 then value = by(whole)
  else value = by(unpack(captures)) end
  if not value then return whole end
  if type(value) ~= "string" and type(value) ~= "number" then error("invalid replacement value (a " .. type(value) .. ")", 0) end
  return value
end

function offered.gsub(text, pattern, by, most)
  text, pattern = texts("gsub", text, pattern)
  if type(by) == "number" then by = tostring(by) end
  if type(by) ~= "string" and type(by) ~= "table" and type(by) ~= "function" then
    error("bad argument #3 to 'gsub' (string/function/table expected)", 2)
  end
  local items, anchored = prepared(pattern)
  local parts, pieces, done, at = {}, 0, 0, 1
  most = tonumber(most) or #text + 1
  while done < most do
    local from, ends, captures = search(text, items, at, true)
    if from then
      done = done + 1
      parts[pieces + 1] = replacement(by, sub(text, from, ends - 1), all(text, captures))
      pieces = pieces + 1
    end
    if from and ends > from then at = ends
    elseif at <= #text then
      parts[pieces + 1] = sub(text, at, at)
      pieces, at = pieces + 1, at + 1
    else break end
    if anchored then break end
  end
  parts[pieces + 1] = sub(text, at)
  return concat(parts), done
end

return offered
