// node/document/schema/v1alpha1/lists.ts: what is a list of v1alpha1 in which nothing may be said twice? v1 has maps instead.
import * as z from 'zod/mini';

/** A list whose entries are told apart by one of their fields. */
export function keyed<S extends z.ZodMiniType>(key: string, entry: S) {
  return z.array(entry).check(
    z.check((context) => {
      const seen = new Set<unknown>();
      context.value.forEach((item, index) => {
        const named = (item as Record<string, unknown>)[key];
        if (seen.has(named)) {
          context.issues.push({ code: 'custom', path: [index, key], message: 'is there already', input: named });
        }
        seen.add(named);
      });
    }),
  );
}

/** A list that says nothing twice. */
export function unique<S extends z.ZodMiniType>(entry: S) {
  return z.array(entry).check(
    z.check((context) => {
      context.value.forEach((item, index) => {
        if (context.value.indexOf(item) === index) return;
        context.issues.push({ code: 'custom', path: [index], message: 'is there already', input: item });
      });
    }),
  );
}
