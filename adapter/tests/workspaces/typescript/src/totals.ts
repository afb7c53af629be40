import { LIMIT, User } from "./models";

export function computeTotal(users: User[]): number {
  const user = users[0];
  user.hello();
  return Math.min(users.length, LIMIT);
}

export function unused(): void {}
export const arrow = () => computeTotal([]);
