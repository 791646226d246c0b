// Folds what a player received with the page's own modules; prints the scene after each entry.
import { readFileSync } from "node:fs";
import { afterEvent, afterMoney, sceneOf } from "./scene.js";

const { seen } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const began = [];
let scene = sceneOf(seen[0].view, [], []);
const scenes = seen.slice(1).map(({ entry, view }) => {
  scene = afterMoney(entry.events.reduce(afterEvent, scene), entry.movements);
  began.push(...entry.events);
  return { scene, resumed: sceneOf(view, [], began) };
});
console.log(JSON.stringify(scenes));
