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
    /** false: no handler is installed, and the real process would end. */
    receive: (name: string, afterMs = 1000) => {
      nowMs += afterMs;
      return emitter.emit(name, name);
    },
  };
}

describe('interruptsOf', () => {
  it('installs no handler before a method is called', () => {
    expect(process().receive('SIGINT')).toBe(false);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('aborts the signal on %s with Interrupted, and sets exit code %i', (name, code) => {
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

  it('calls the listener of a daemon on SIGHUP instead of interrupting it', () => {
    const { interrupts, receive, target } = process();
    const signal = interrupts.signal();
    let asked = 0;
    interrupts.onHangUp(() => asked++);
    expect([receive('SIGHUP'), receive('SIGHUP')]).toEqual([true, true]);
    expect([asked, signal.aborted, target.exitCode]).toEqual([2, false, undefined]);
    receive('SIGTERM');
    expect(signal.aborted).toBe(true);
  });

  it('aborts the second signal on a second interrupt, and lets the third end the process', () => {
    const { interrupts, receive } = process();
    const [first, second] = [interrupts.signal(), interrupts.secondSignal()];
    receive('SIGINT');
    expect([first.aborted, second.aborted]).toEqual([true, false]);
    expect(receive('SIGINT')).toBe(true);
    expect(second.aborted).toBe(true);
    expect(receive('SIGINT')).toBe(false);
  });

  it('counts one Ctrl-C that a wrapper forwards as one interrupt', () => {
    const { interrupts, receive } = process();
    const second = interrupts.secondSignal();
    receive('SIGINT');
    receive('SIGINT', 5);
    expect(second.aborted).toBe(false);
    receive('SIGTERM');
    expect(second.aborted).toBe(true);
  });

  it('never counts SIGHUP as a second interrupt', () => {
    const { interrupts, receive, target } = process();
    const second = interrupts.secondSignal();
    for (let times = 0; times < 3; times++) expect(receive('SIGHUP')).toBe(true);
    expect(second.aborted).toBe(false);
    expect(target.exitCode).toBe(129);
  });
});
