// DRF-ER as a program in JavaScript: node dominant.js
const capacity = (server, r) => (server.count ?? 1) * server.capacity[r];

function tasks(user, env) {
  const bounds = [];
  user.demand.forEach((d, r) => {
    if (d > 0) bounds.push(env.servers.reduce((sum, s) => sum + capacity(s, r), 0) / d);
  });
  (env.links ?? []).forEach((link, e) => {
    if (user.link_demand?.[e] > 0) bounds.push(link.capacity / user.link_demand[e]);
  });
  return Math.min(...bounds);
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { leontief, id, environment: env } = JSON.parse(line);
  const answer = leontief
    ? { leontief: 1, kind: "normaliser", title: "DRF-ER in JavaScript" }
    : { id, normaliser: env.users.map((user) => tasks(user, env)) };
  console.log(JSON.stringify(answer));
});
