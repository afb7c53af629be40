export { computeTotal as total } from "./totals";
export { User } from "./models";
