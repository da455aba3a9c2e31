// sims/azure/service/arm-error.ts: which errors does Azure Resource Manager return?
import type { JsonObject } from './json.ts';

export class ArmError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: JsonObject[] | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { headers?: Readonly<Record<string, string>>; details?: JsonObject[] } = {},
  ) {
    super(message);
    this.name = 'ArmError';
    this.status = status;
    this.code = code;
    this.headers = more.headers ?? {};
    this.details = more.details;
  }

  body(): JsonObject {
    const { code, message, details } = this;
    return { error: { code, message, ...(details && { details }) } };
  }
}

/** The front door's message: the resource type is known, the resource is not. */
export function resourceNotFound(type: string, name: string, group: string): ArmError {
  return new ArmError(
    404,
    'ResourceNotFound',
    `The Resource '${type}/${name}' under resource group '${group}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`,
  );
}

/** The provider's message: the parent exists, the child does not. */
export function entityNotFound(): ArmError {
  return new ArmError(404, 'NotFound', 'The entity was not found in this Azure location.');
}
