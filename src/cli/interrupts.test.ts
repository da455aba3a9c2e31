import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Interrupted, renderError } from '../base/errors.ts';
import { interruptsOf, type SignalTarget } from './interrupts.ts';

function process() {
  const emitter = new EventEmitter();
  const target: SignalTarget & { exitCode?: number } = Object.assign(emitter, {});
  let nowMs = 0;
  return {
    target,
    interrupts: interruptsOf(target, () => nowMs),
    /** false: nobody catches it, and the real process would end here. */
    receive: (name: string, afterMs = 1000) => {
      nowMs += afterMs;
      return emitter.emit(name, name);
    },
  };
}

describe('interrupting', () => {
  it('ends the process at once while nobody has asked to be told', () => {
    expect(process().receive('SIGINT')).toBe(false);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('by %s is told to who asked, as something that is no bug, and exits %i', (name, code) => {
    const { interrupts, receive, target } = process();
    const signal = interrupts.signal();
    expect(receive(name)).toBe(true);
    expect(signal.reason).toBeInstanceOf(Interrupted);
    expect(renderError(signal.reason)).toBe(
      `error: interrupted (${name})\nnext:  run the same command again\ncode:  cli/interrupted`,
    );
    expect(target.exitCode).toBe(code);
    expect(receive(name)).toBe(false);
  });

  it('is not what SIGHUP is to a daemon that looks again at it', () => {
    const { interrupts, receive, target } = process();
    const signal = interrupts.signal();
    let asked = 0;
    interrupts.onHangUp(() => asked++);
    expect([receive('SIGHUP'), receive('SIGHUP')]).toEqual([true, true]);
    expect([asked, signal.aborted, target.exitCode]).toEqual([2, false, undefined]);
    receive('SIGTERM');
    expect(signal.aborted).toBe(true);
  });

  it('a second time is told to who asked for that, and the third ends the process', () => {
    const { interrupts, receive } = process();
    const [first, second] = [interrupts.signal(), interrupts.secondSignal()];
    receive('SIGINT');
    expect([first.aborted, second.aborted]).toEqual([true, false]);
    expect(receive('SIGINT')).toBe(true);
    expect(second.aborted).toBe(true);
    expect(receive('SIGINT')).toBe(false);
  });

  it('by one Ctrl-C that a wrapper passes on as well is one interruption', () => {
    const { interrupts, receive } = process();
    const second = interrupts.secondSignal();
    receive('SIGINT');
    receive('SIGINT', 5);
    expect(second.aborted).toBe(false);
    receive('SIGTERM');
    expect(second.aborted).toBe(true);
  });

  it('by a terminal that hangs up is never a second one, however often it is said', () => {
    const { interrupts, receive, target } = process();
    const second = interrupts.secondSignal();
    for (let times = 0; times < 3; times++) expect(receive('SIGHUP')).toBe(true);
    expect(second.aborted).toBe(false);
    expect(target.exitCode).toBe(129);
  });
});
