// node/document/schema/v1alpha1/lists.ts: lists of v1alpha1 without duplicates. v1 uses maps instead.
import * as z from 'zod/mini';

/** A list of objects; no two have the same value in the field `key`. */
export function keyed<S extends z.ZodMiniType>(key: string, entry: S) {
  return z.array(entry).check(
    z.check((context) => {
      const seen = new Set<unknown>();
      context.value.forEach((item, index) => {
        const named = (item as Record<string, unknown>)[key];
        if (seen.has(named)) {
          context.issues.push({ code: 'custom', path: [index, key], message: 'is a duplicate', input: named });
        }
        seen.add(named);
      });
    }),
  );
}

export function unique<S extends z.ZodMiniType>(entry: S) {
  return z.array(entry).check(
    z.check((context) => {
      context.value.forEach((item, index) => {
        if (context.value.indexOf(item) === index) return;
        context.issues.push({ code: 'custom', path: [index], message: 'is a duplicate', input: item });
      });
    }),
  );
}
