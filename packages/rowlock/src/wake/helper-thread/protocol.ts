import type { MessagePort } from 'node:worker_threads';
import type { Ring } from '../doorbell.js';
import type { HelperSettings } from '../helper-settings.js';
import type { LeaseTiming, Peers } from '../lease-keeper.js';

/** What the thread is started with. */
export interface HelperStart {
  readonly settings: HelperSettings;
  readonly schema: string;
  readonly channel: string;
  readonly timing: LeaseTiming;
  readonly record: SharedArrayBuffer;
  readonly identity?: IdentityLine;
}

/** `generation` tells acknowledgements of an earlier worker id from those of the present one. */
export interface Incarnation {
  readonly workerId: string;
  readonly generation: number;
}

/** TLS asks for a verdict synchronously: the thread waits on `signal` until the answer is in `port`. */
export interface IdentityLine {
  readonly port: MessagePort;
  readonly signal: SharedArrayBuffer;
}

/** The first `adopt` begins its work. */
export type ToHelper =
  | { readonly type: 'adopt'; readonly incarnation: Incarnation }
  | { readonly type: 'password'; readonly id: number; readonly password?: string; readonly problem?: string }
  | { readonly type: 'stop' };

export type FromHelper =
  | { readonly type: 'renewed'; readonly peers: Peers }
  | { readonly type: 'dead'; readonly workerId: string }
  | { readonly type: 'lost'; readonly message: string; readonly code?: string }
  | { readonly type: 'ring'; readonly ring: Ring }
  | { readonly type: 'catch-up' }
  | { readonly type: 'listening'; readonly listening: boolean }
  | { readonly type: 'ask-password'; readonly id: number };
