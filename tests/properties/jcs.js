// RFC 8785 by a program of another language: a line of JSON comes in, its canonical form goes out.
// Numbers are spelled by ECMAScript itself, which is what the RFC refers to.
"use strict";

function canonical(value) {
  if (Array.isArray(value)) {
    return "[" + value.map(canonical).join(",") + "]";
  }
  if (value !== null && typeof value === "object") {
    // Names in the order of their UTF-16 code units, which is how JavaScript compares texts.
    const names = Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    return "{" + names.map((name) => JSON.stringify(name) + ":" + canonical(value[name])).join(",") + "}";
  }
  return JSON.stringify(value);
}

const lines = require("fs").readFileSync(0, "utf8").split("\n");
for (const line of lines) {
  if (line !== "") {
    process.stdout.write(canonical(JSON.parse(line)) + "\n");
  }
}
