// vms/azure/connect/reading.ts: read a paged list, or a resource that may not exist.
import { NotFound } from '../../../base/failures.ts';

export async function collectPages<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** The items that one request returns. Azure may return an empty page before others. */
export async function firstPage<T>(list: { byPage(): AsyncIterable<T[]> }): Promise<T[]> {
  for await (const page of list.byPage()) if (page.length > 0) return page;
  return [];
}

export async function undefinedIfMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}
