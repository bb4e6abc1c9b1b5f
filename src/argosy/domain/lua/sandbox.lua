-- What stands between a script and the machine. Loaded once for each runtime by runtime.py, with its sources beside it.
--
-- A script sees a fresh table of globals with copies of what is listed here, so it can neither reach the host's globals nor leave anything behind.
-- What it may use up is bounded three ways: instructions (a hook that counts them), processor time (the same hook looks at the clock), memory
-- (the allocator). Nothing in C may run long between two looks of the hook: what could is written in Lua here, or refuses.

local patterns, encode, open = ...

local sethook, clock, pcall, error, type, setfenv = debug.sethook, os.clock, pcall, error, type, setfenv
local select, pairs, tonumber = select, pairs, tonumber
local resume, wrap, sort, insert, date, time = coroutine.resume, coroutine.wrap, table.sort, table.insert, os.date, os.time
local find = string.find

local LOOK_EVERY = 100
local LONGEST_DATE_FORMAT = 200

local DEEPEST = 50

local used, most, till, spent, depth = 0, 0, 0, nil, 0

-- Errors of the budget cannot be survived: whoever catches them (`passed`) throws them again until the script is left.
local function charge(steps)
  used = used + steps
  if not spent then
    if used > most then spent = "steps" elseif clock() > till then spent = "time" else return end
  end
  error(spent, 0)
end

local function look() charge(LOOK_EVERY) end

-- Where stack or memory end, the hook cannot run either: a script that could survive that would be counted no more.
local FATAL = { ["stack overflow"] = "stack", ["not enough memory"] = "memory", ["error in error handling"] = "stack" }

local function passed(at, ok, cause, ...)
  depth = at
  if not ok and not spent and type(cause) == "string" then
    for words, which in pairs(FATAL) do
      if find(cause, words, 1, true) then spent = which end
    end
  end
  if spent then error(spent, 0) end
  return ok, cause, ...
end

local function protected(call, ...) return passed(depth, pcall(call, ...)) end

local function left(at, ...)
  depth = at
  return ...
end

-- What C calls back from within C. An error takes its time through many such calls.
local function counted(call)
  return function(...)
    if depth >= DEEPEST then
      spent = "stack"
      error(spent, 0)
    end
    depth = depth + 1
    return left(depth - 1, call(...))
  end
end

local function handled(handler, ok, ...)
  if ok then return ok, ... end
  return false, handler(...)
end

local function copy(names, from)
  local made = {}
  for name in names:gmatch("%S+") do made[name] = from[name] end
  return made
end

local function merge(into, from)
  for name, value in pairs(from) do into[name] = value end
  return into
end

local base = merge(copy("assert error ipairs next pairs rawequal rawget rawset select setmetatable getmetatable tonumber tostring type unpack _VERSION", _G), {
  pcall = protected,
  -- The handler runs after the stack is gone, because inside of it no hook would run.
  xpcall = function(call, handler, ...) return handled(handler, protected(call, ...)) end,
  print = function() end,
})

local tables = merge(copy("concat getn maxn remove", table), {
  insert = function(into, ...)
    if select("#", ...) ~= 2 then return insert(into, ...) end
    local at, value = ...
    at = tonumber(at)
    if type(into) ~= "table" or not at or at < 1 or at > #into + 1 then error("bad argument to 'insert' (position out of bounds)", 2) end
    return insert(into, at, value)
  end,
  -- With a comparison in Lua, so that the hook sees how long it takes.
  sort = counted(function(what, before) return sort(what, before or function(a, b) return a < b end) end),
})

local system = {
  time = function(...) return time(...) end,
  date = function(format, ...)
    if format ~= nil and (type(format) ~= "string" or #format > LONGEST_DATE_FORMAT) then error("bad argument #1 to 'date' (a short format expected)", 2) end
    return date(format, ...)
  end,
}

local SPECIAL = "[%^%$%*%+%?%.%(%[%%%-]"

local strings = merge(copy("byte char len lower rep reverse sub upper", string), {
  format = counted(string.format),
  find = function(text, pattern, from, plain)
    text, pattern = patterns.texts("find", text, pattern)
    if plain or not find(pattern, SPECIAL) then
      charge(#text * #pattern / 256)
      return find(text, pattern, from, true)
    end
    return patterns.find(text, pattern, from)
  end,
  match = patterns.match,
  gmatch = patterns.gmatch,
  gsub = patterns.gsub,
})

local coroutines = merge(copy("create running status yield", coroutine), {
  wrap = function(call) return counted(wrap(call)) end,
  resume = counted(function(...) return passed(depth, resume(...)) end),
})

-- Which of them are open is upstream's choice: base, table, and an os of two functions that has to be required; with open libraries all of these.
local libraries = { table = tables, os = system }
if open then merge(libraries, { string = strings, math = copy("abs ceil cos deg exp floor fmod frexp huge ldexp log log10 max min modf pi pow rad random sin sqrt tan", math), coroutine = coroutines }) end

local metatable = getmetatable("")
metatable.__index = open and strings or nil
metatable.__metatable = false

local function environment(globals)
  local made = merge({}, base)
  local loaded = {}
  for name, library in pairs(libraries) do
    loaded[name] = merge({}, library)
    made[name] = loaded[name]
  end
  made._G = made
  made.require = function(name) return loaded[name] or error("module '" .. tostring(name) .. "' not found: a script has no other modules than its libraries", 2) end
  return merge(made, globals)
end

local function answer(script)
  return encode(script())
end

local function fenced(script)
  sethook(look, "", LOOK_EVERY)
  local ok, result = pcall(answer, script)
  sethook()
  return ok, result
end

-- Answers (the result as JSON) or (nil, what went wrong, which budget it was).
return function(script, globals, steps, seconds)
  setfenv(script, environment(globals))
  used, most, till, spent, depth = 0, steps, clock() + seconds, nil, 0
  local done, ok, result = pcall(fenced, script)
  sethook() -- it may have struck once more, between the end of the script and the end of the fence
  if not done then ok, result = false, ok end
  if ok and not spent then return result end
  pcall(passed, 0, ok, result)
  if not spent and type(result) ~= "string" then result = "(error object is a " .. type(result) .. " value)" end
  return nil, result, spent
end
