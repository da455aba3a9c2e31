import { describe, expect, it } from 'vitest';
import type { Assignment } from '../../apply/contract.ts';
import { INITIAL } from '../machine.ts';
import type { DaemonState } from '../state.ts';
import { keepDocuments } from './documents.ts';

const unread = (text: string) => ({
  document: Buffer.from(text),
  origin: text,
});
const assignmentOf = (hash: string) => ({ hash }) as Assignment;
const withWork = (work: DaemonState['work']): DaemonState => ({ ...INITIAL, work });

describe('documents', () => {
  it('have the same key for the same bytes from any origin', () => {
    const documents = keepDocuments(() => undefined);
    const first = documents.keep(unread('one'), INITIAL);
    expect(documents.keep({ ...unread('one'), origin: 'a person' }, INITIAL)).toBe(first);
    expect(documents.unread(first).origin).toBe('a person');
    expect(documents.keep(unread('two'), INITIAL)).not.toBe(first);
  });

  it('that arrive between read and apply do not replace the document that was read', () => {
    const documents = keepDocuments(() => undefined);
    const one = documents.keep(unread('one'), INITIAL);
    documents.accept(one, assignmentOf('1'));
    const applying = withWork({ is: 'applying', raw: one });
    const two = documents.keep(unread('two'), applying);
    documents.accept(two, assignmentOf('2'));
    documents.keep(unread('one'), applying);
    expect(documents.assignment(one).hash).toBe('1');
  });

  it.each<[string, (raw: string) => DaemonState]>([
    ['is being read', (raw) => withWork({ is: 'reading', raw, isItsTurn: false })],
    ['is being applied', (raw) => withWork({ is: 'applying', raw })],
    ['waits for its turn', (raw) => ({ ...INITIAL, pending: { raw, atMs: 0, isItsTurn: true } })],
    ['is ordered', (raw) => ({ ...INITIAL, orders: [{ id: 1, what: 'apply', raw }] })],
  ])('are kept while the document %s, and dropped when a later one is kept', (_, stateOf) => {
    const documents = keepDocuments(() => undefined);
    const one = documents.keep(unread('one'), INITIAL);
    documents.keep(unread('two'), stateOf(one));
    expect(documents.unread(one).origin).toBe('one');
    documents.keep(unread('three'), INITIAL);
    expect(() => documents.unread(one)).toThrow('was dropped');
  });

  it('are read for the instance that the platform reports, or before that for the saved one', () => {
    const instance = (vmId: string) => ({ platform: 'azure', vmId, addresses: [], tags: {} }) as const;
    const documents = keepDocuments(() => instance('remembered'));
    const read = () => documents.unread(documents.keep(unread('one'), INITIAL)).instance.vmId;
    expect(read()).toBe('remembered');
    documents.foundOn(instance('named'));
    expect(read()).toBe('named');
    const nowhere = keepDocuments(() => undefined);
    expect(nowhere.unread(nowhere.keep(unread('one'), INITIAL)).instance.platform).toBe('file');
  });

  it('that were not accepted cannot be applied', () => {
    const documents = keepDocuments(() => undefined);
    const one = documents.keep(unread('one'), INITIAL);
    expect(() => documents.assignment(one)).toThrow('was not accepted');
    expect(() => documents.assignment('f00')).toThrow('was dropped');
  });
});
