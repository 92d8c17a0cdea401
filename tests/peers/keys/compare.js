// One table: length of keys in bytes (mean/longest) by workload and generator, and what a crowd in one gap does.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { generateKeyBetween, generateNKeysBetween } from "fractional-indexing";
import * as jittered from "fractional-indexing-jittered";
import { PositionSource } from "position-strings";

const { LexoRank } = createRequire(import.meta.url)("lexorank");

const SEED = 12345n;
const N = 10000;
const ITEMS = 1000;
const SITES = 100;
const TIME_MS_MAX = 20000;

// As in src/core/src/growth/table.rs, so that items go to the same places.
function random(seed) {
  const mask = (1n << 64n) - 1n;
  let state = seed;
  return (end) => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let mixed = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & mask;
    return Number((mixed ^ (mixed >> 31n)) % BigInt(end));
  };
}

function append(count, between) {
  const keys = [];
  while (keys.length < count) keys.push(between(keys.at(-1) ?? null, null, 0));
  return keys;
}

const rank = (key) => LexoRank.parse(key);

const peers = {
  "fractional-indexing": {
    make: () => (low, high) => generateKeyBetween(low, high),
    many: (count) => generateNKeysBetween(null, null, count),
  },
  "fractional-indexing-jittered": {
    make: () => (low, high) => jittered.generateJitteredKeyBetween(low, high),
    many: (count) => jittered.generateNKeysBetween(null, null, count),
  },
  "position-strings (2-letter ids)": {
    make: () => {
      const sources = new Map();
      return (low, high, site) => {
        if (!sources.has(site)) {
          const id = String.fromCharCode(65 + (site % 26), 65 + Math.floor(site / 26));
          sources.set(site, new PositionSource({ ID: id }));
        }
        return sources.get(site).createBetween(low ?? undefined, high ?? undefined);
      };
    },
  },
  lexorank: {
    make: () => (low, high) => {
      if (low === null && high === null) return LexoRank.middle().toString();
      if (low === null) return rank(high).genPrev().toString();
      if (high === null) return rank(low).genNext().toString();
      return rank(low).between(rank(high)).toString();
    },
  },
};

// What each workload does: the list before it, and the row of each insert.
const workloads = {
  append: { row: (_, len) => len },
  prepend: { row: () => 0 },
  after: { before: "two", row: () => 1 },
  before: { before: "two", row: (step) => 1 + step },
  run: { before: "random", row: (step) => ITEMS / 2 + step },
  pingpong: { count: 2000, row: (step) => Math.ceil(step / 2) },
  random: { row: (_, len, below) => below(len + 1) },
  moves: {
    before: "many",
    row: (_, len, below, keys) => {
      keys.splice(below(len), 1);
      return below(len);
    },
  },
};

function list(before, between, many, below) {
  if (before === "two") return append(2, between);
  if (before === "many") return many ? many(ITEMS) : append(ITEMS, between);
  const keys = [];
  while (before === "random" && keys.length < ITEMS) {
    const at = below(keys.length + 1);
    keys.splice(at, 0, between(keys[at - 1] ?? null, keys[at] ?? null, 0));
  }
  return keys;
}

function lengths(made) {
  const sum = made.reduce((sum, key) => sum + key.length, 0);
  const longest = made.reduce((longest, key) => Math.max(longest, key.length), 0);
  return `${(sum / made.length).toFixed(1)}/${longest}`;
}

function grow({ make, many }, { before, row, count = N }) {
  const [between, below, end] = [make(), random(SEED), Date.now() + TIME_MS_MAX];
  const made = [];
  try {
    const keys = list(before, between, many, below);
    for (let step = 0; step < count; step += 1) {
      const at = row(step, keys.length, below, keys);
      const key = between(keys[at - 1] ?? null, keys[at] ?? null, 0);
      keys.splice(at, 0, key);
      made.push(key);
      if (Date.now() > end) return `>${lengths(made)}`;
    }
  } catch (error) {
    return `fails at ${made.length + 1}`;
  }
  return lengths(made);
}

function crowd({ make }) {
  const between = make();
  const [low, high] = append(2, between);
  const made = [];
  for (let site = 1; site <= SITES; site += 1) {
    let last = low;
    for (let step = 0; step < N / SITES; step += 1) {
      last = between(last, high, site);
      made.push({ site, key: last });
    }
  }
  // As check.py counts.
  made.sort((a, b) => (a.key === b.key ? a.site - b.site : a.key < b.key ? -1 : 1));
  const spans = new Map();
  made.forEach(({ site }, at) => {
    const span = spans.get(site) ?? { first: at, count: 0 };
    spans.set(site, { ...span, last: at, count: span.count + 1 });
  });
  const broken = [...spans.values()].filter(({ first, last, count }) => last - first + 1 !== count).length;
  const keys = made.map(({ key }) => key);
  return [lengths(keys), `${keys.length - new Set(keys).size}`, `${broken}`];
}

function betwixt(program, generator) {
  const growth = (pattern, count) => {
    const args = ["keys", "growth", "--json", "--pattern", pattern, "--n", `${count}`, "--seed", `${SEED}`];
    return JSON.parse(execFileSync(program, [...args, "--generator", generator], { encoding: "utf8" }));
  };
  const said = ({ mean, longest }) => `${mean.toFixed(1)}/${longest}`;
  const cells = Object.entries(workloads).map(([name, { count = N }]) => said(growth(name, count)));
  const all = growth("crowd", N);
  return [...cells, said(all), `${all.duplicates}`, `${all.interleaved}`];
}

const rows = [["", ...Object.keys(workloads), "crowd", "duplicates", "runs broken"]];
rows.push(["Betwixt `between`, tag of 2 bytes included", ...betwixt(process.argv[2], "between")]);
rows.push(["Betwixt `midpoint`, the textbook", ...betwixt(process.argv[2], "midpoint")]);
for (const [name, peer] of Object.entries(peers)) {
  rows.push([name, ...Object.values(workloads).map((workload) => grow(peer, workload)), ...crowd(peer)]);
}
rows.splice(1, 0, rows[0].map((_, column) => (column === 0 ? "---" : "---:")));
for (const row of rows) console.log(`| ${row.join(" | ")} |`);
