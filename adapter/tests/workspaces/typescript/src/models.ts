/** Who somebody is. */
export interface Named {
  name: string;
}

export class User implements Named {
  constructor(public name: string) {}

  hello(): string {
    const é = "é😀"; const greeting = this.name + é; return greeting;
  }
}

export const LIMIT = 10;
export type UserId = string;
