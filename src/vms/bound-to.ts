// vms/bound-to.ts: turn functions whose first parameter is a context into the methods of a contract.

type ContextFunctions<C> = Readonly<Record<string, (context: C, ...rest: never[]) => unknown>>;

type BoundMethods<F> = {
  [K in keyof F]: F[K] extends (context: never, ...rest: infer Rest) => infer Answer
    ? (...rest: Rest) => Answer
    : never;
};

/** The functions are the implementation: no wrapper restates their parameters. */
export function boundTo<C, F extends ContextFunctions<C>>(context: C, functions: F): BoundMethods<F> {
  const bound = Object.entries(functions).map(([name, run]) => [name, (...rest: never[]) => run(context, ...rest)]);
  return Object.fromEntries(bound) as BoundMethods<F>;
}
