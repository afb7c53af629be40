
/** Files of the workspace. Changes are kept until the program ends, and then all of them are written, or none. */
declare namespace fs {
  function read(path: string): Promise<string>;
  /** The texts of several files, in their order. */
  function read(paths: string[]): Promise<string[]>;
  function exists(path: string): Promise<boolean>;
  /** Paths that match a glob or lie in a folder; without ignored files. */
  function list(glob?: string): Promise<string[]>;
  function write(path: string, text: string): Promise<void>;
  /** Replaces the only place that has the text `find`, or all of them; returns their number. */
  function edit(path: string, find: string, replace: string, all?: boolean): Promise<number>;
  function remove(path: string): Promise<void>;
  function rename(from: string, to: string): Promise<void>;
  /** Writes the changes so far; the user is asked. */
  function commit(): Promise<unknown>;
}

declare namespace dialect {
  /** Runs a program of ide_operation. */
  function run(program: string): Promise<any>;
  /** Lines of an earlier output that was shortened; they count from 1. */
  function output(id: number, first?: number, last?: number): Promise<string>;
}

/** The call's `args`. */
declare const args: any;
