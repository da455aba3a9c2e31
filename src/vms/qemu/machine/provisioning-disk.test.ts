import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ovfEnvironment } from './provisioning-disk.ts';

const given = { hostName: 'web-000001', userName: 'headstart', publicKeys: ['ssh-ed25519 AAAA x'] };

describe('ovfEnvironment', () => {
  it('contains host name, user, key and custom data', () => {
    const xml = ovfEnvironment({ ...given, customData: 'I2Nsb3VkLWNvbmZpZwo=' });
    expect(textOf(xml, 'HostName')).toEqual(['web-000001']);
    expect(textOf(xml, 'UserName')).toEqual(['headstart']);
    expect(textOf(xml, 'Value')).toEqual(['ssh-ed25519 AAAA x']);
    expect(textOf(xml, 'CustomData')).toEqual(['I2Nsb3VkLWNvbmZpZwo=']);
  });

  it('has no custom data when there is none', () => {
    expect(ovfEnvironment(given)).not.toContain('CustomData');
    expect(ovfEnvironment({ ...given, customData: '' })).not.toContain('CustomData');
  });

  it('escapes markup in every value', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const xml = ovfEnvironment({ ...given, hostName: text, publicKeys: [text] });
        expect(textOf(xml, 'HostName')).toEqual([text]);
        expect(textOf(xml, 'Value')).toEqual([text]);
        expect(xml.match(/</g)).toHaveLength(ovfEnvironment(given).match(/</g)!.length);
      }),
    );
  });
});

function textOf(xml: string, tag: string): string[] {
  return [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))].map(([, text]) =>
    text!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );
}
