// base/secret.ts: a value that cannot be printed by accident.
import { inspect } from 'node:util';

const HIDDEN = '[secret]';

/** Logging, JSON, string templates and stack traces show `[secret]` instead of the value. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
