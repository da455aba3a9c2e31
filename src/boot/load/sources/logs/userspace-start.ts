// boot/load/sources/logs/userspace-start.ts: when did userspace of the real root begin, according to lines of the kernel and of PID 1?
import type { Milestone } from '../../../model/record.ts';

/** The clock of the kernel's log differs from the monotonic clock; by 0.3 s on some hypervisors. */
const KERNEL_LOG_ERROR_US = 500_000;
/** Write-protecting the kernel and searching for init come after it. */
const FREED_ERROR_US = 1e6;
/** Wall-clock logs have the time of receipt. */
const RECEIPT_ERROR_US = 6e6;

export class UserspaceStart {
  readonly #clock: 'monotonic' | 'wall';
  #ranInit: { atUs: number; path: string } | undefined;
  /** "Freeing unused kernel memory": one of the last steps before the kernel runs init, and older kernels log no later one. */
  #freedUs: number | undefined;
  #hasInitramfs = false;
  /** systemd prints its version in the initrd, in the real root, and when it executes itself again after an update. */
  readonly #banners: { atUs: number; isInitrd: boolean }[] = [];

  constructor(clock: 'monotonic' | 'wall') {
    this.#clock = clock;
  }

  addKernelLine(atUs: number, message: string): void {
    const path = /^Run (\/\S*) as init process/.exec(message)?.[1];
    if (path !== undefined) this.#ranInit = { atUs, path };
    if (message.startsWith('Freeing unused kernel')) this.#freedUs = atUs;
    if (INITRAMFS.test(message)) this.#hasInitramfs = true;
  }

  addPid1Line(atUs: number, message: string): void {
    if (/^systemd \S+(?: \([^)]{1,80}\))? running in system mode/.test(message))
      this.#banners.push({ atUs, isInitrd: false });
    const last = this.#banners.at(-1);
    if (last && /^Running in init(?:rd|ial RAM disk)/.test(message)) last.isInitrd = true;
  }

  /** When the kernel ran its first program, which may be that of an initramfs. */
  get ranInit(): { atUs: number; path: string } | undefined {
    return this.#ranInit;
  }

  /** Of the banner of systemd in the initrd, and of the first one in the real root. */
  get systemdUs(): { initrd?: number; realRoot?: number } {
    const inOrder = this.#banners.toSorted((a, b) => a.atUs - b.atUs);
    const initrd = inOrder.find((one) => one.isInitrd)?.atUs;
    const realRoot = inOrder.find((one) => !one.isInitrd)?.atUs;
    return { ...(initrd !== undefined && { initrd }), ...(realRoot !== undefined && { realRoot }) };
  }

  /** Undefined if the log does not show it: after an initramfs, the real root may start any time later. */
  milestone(): Omit<Milestone, 'name'> | undefined {
    const ran = this.#ranInit;
    const { realRoot: bannerUs } = this.systemdUs;
    if (ran && ran.path !== '/init') {
      const errorUs = this.#clock === 'wall' ? RECEIPT_ERROR_US : KERNEL_LOG_ERROR_US;
      return { atUs: ran.atUs, source: 'kernel', errorUs, detail: `the kernel ran ${ran.path}` };
    }
    if (bannerUs !== undefined) {
      const afterUs = ran?.atUs ?? this.#freedUs ?? 0;
      return {
        atUs: bannerUs,
        source: 'systemd',
        errorUs: bannerUs - afterUs + KERNEL_LOG_ERROR_US,
        detail: "time of systemd's banner; systemd started slightly earlier",
      };
    }
    if (this.#freedUs === undefined || ran || this.#hasInitramfs) return undefined;
    return {
      atUs: this.#freedUs,
      source: 'kernel',
      errorUs: FREED_ERROR_US,
      detail: 'the kernel freed its start-up memory; it ran init slightly later',
    };
  }
}

const INITRAMFS = /^(?:Unpacking initramfs|Trying to unpack rootfs image as initramfs)/;
