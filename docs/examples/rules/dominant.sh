#!/bin/sh
# DRF-ER as a program of the POSIX shell and awk: sh dominant.sh
answer='
function token() { # takes the next token off the line
	sub(/^[ \t,:]+/, "", line)
	match(line, /^("([^"\\]|\\.)*"|[^][{}",: \t]+|.)/)
	found = substr(line, 1, RLENGTH)
	line = substr(line, RLENGTH + 1)
	return found
}
function read(path, t, i) { # is[path] is the text of a value, or how many there are in it
	t = token()
	if (t != "{" && t != "[") {
		is[path] = t
		return
	}
	for (i = 0; substr(line, 1, 1) != "]" && substr(line, 1, 1) != "}"; i++) {
		read(path "/" (t == "{" ? token() : i))
		sub(/^[ \t,]+/, "", line)
	}
	token()
	is[path] = i
}
function least(capacity, demand) { # keeps the smallest capacity / demand
	if (demand > 0 && (tasks == "inf" || capacity / demand < tasks)) tasks = capacity / demand
}
{
	line = $0
	read("")
	env = "/\"environment\""
	for (s = 0; s < is[env "/\"servers\""]; s++) {
		server = env "/\"servers\"/" s
		count = server "/\"count\""
		for (r = 0; r < is[env "/\"resources\""]; r++)
			total[r] += (count in is ? is[count] : 1) * is[server "/\"capacity\"/" r]
	}
	for (j = 0; j < is[env "/\"users\""]; j++) {
		user = env "/\"users\"/" j
		tasks = "inf"
		for (r = 0; r < is[env "/\"resources\""]; r++) least(total[r], is[user "/\"demand\"/" r] + 0)
		for (e = 0; e < is[env "/\"links\""]; e++)
			least(is[env "/\"links\"/" e "/\"capacity\""], is[user "/\"link_demand\"/" e] + 0)
		all = all (j ? ", " : "") (tasks == "inf" ? "\"inf\"" : sprintf("%.17g", tasks))
	}
	print "{\"id\": " is["/\"id\""] ", \"normaliser\": [" all "]}"
}'

read -r hello
echo '{"leontief": 1, "kind": "normaliser", "title": "DRF-ER in sh and awk", "version": "1"}'
while read -r request; do
	printf '%s\n' "$request" | awk "$answer"
done
