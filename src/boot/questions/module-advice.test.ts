import { describe, expect, it } from 'vitest';
import { moduleAdvice } from './module-advice.ts';

describe('moduleAdvice', () => {
  it.each([
    ['config-grub-dpkg', 'grub_dpkg: {enabled: false}'],
    ['config-grub_dpkg', 'grub_dpkg: {enabled: false}'],
    ['config-keys-to-console', 'ssh: {emit_keys_to_console: false}'],
    ['config-apt_configure', 'apt: {preserve_sources_list: true}'],
  ])('%s has a switch, written to a file that an update of cloud-init keeps', (name, line) => {
    const { command } = moduleAdvice(name)!;
    expect(command).toMatch(/^printf '.*\\n' \| sudo tee \/etc\/cloud\/cloud\.cfg\.d\/90-[\w-]+\.cfg$/);
    expect(command).toContain(line);
  });

  it('never edits cloud.cfg with a pattern, nor overrides a list in cloud.cfg.d', () => {
    for (const module of ['locale', 'byobu', 'lxd', 'snap', 'scripts-user', 'ubuntu_advantage']) {
      const { command } = moduleAdvice(`config-${module}`)!;
      expect(command).not.toMatch(/\bsed\b|_modules/);
    }
  });

  it('keeps the module that runs user scripts: their work moves into the image', () => {
    expect(moduleAdvice('config-scripts-user')).toMatchObject({ confidence: 'medium' });
    expect(moduleAdvice('config-scripts_user')?.command).toContain('image is built');
    expect(moduleAdvice('config-package-update-upgrade-install')?.command).toContain('image is built');
  });

  it.each(['ssh', 'users-groups', 'growpart', 'set_hostname', 'set-hostname', 'update_etc_hosts', 'seed_random'])(
    'never advises against %s, in either spelling',
    (module) => expect(moduleAdvice(`config-${module}`)).toBeUndefined(),
  );

  it('never advises against the file that tells tools that the boot is finished', () => {
    expect(moduleAdvice('config-final-message')).toBeUndefined();
    expect(moduleAdvice('config-scripts-per-instance')).toBeUndefined();
  });

  it('has no advice for what is not a module', () => {
    expect(moduleAdvice('modules-final')).toBeUndefined();
    expect(moduleAdvice('cloud-init')).toBeUndefined();
  });
});
