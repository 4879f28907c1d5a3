// DRF with links, as a program of its own: node drf-er.mjs
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

// N[j] = 1 / max over resources and links of d/(total capacity).
function normaliser({ resources, servers, links = [], users }) {
  const totals = resources.map((_, r) => servers.reduce((sum, s) => sum + (s.count ?? 1) * s.capacity[r], 0));
  return users.map(({ demand, link_demand = [] }) => 1 / Math.max(
    ...demand.map((d, r) => (d > 0 ? d / totals[r] : 0)),
    ...link_demand.map((d, e) => (d > 0 ? d / links[e].capacity : 0))));
}

for await (const line of createInterface({ input: process.stdin })) {
  const { leontief, id, environment } = JSON.parse(line);
  if (leontief) say({ leontief: 1, kind: "normaliser", title: "DRF with links", claims: { EF: true, PO: true, SP: true }, version: "1" });
  else if (environment.users.some((u) => u.demand_on)) say({ id, unsupported: "demands that differ by server" });
  else say({ id, normaliser: normaliser(environment) });
}
