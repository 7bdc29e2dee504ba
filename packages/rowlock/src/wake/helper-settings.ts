import type { ClientConfig } from 'pg';
import type { ConnectionOptions, PeerCertificate } from 'node:tls';

/** The parts of a driver configuration that a connection is made from; pool options and type parsers are not. */
const connectionKeys = [
  'connectionString',
  'host',
  'port',
  'user',
  'database',
  'password',
  'ssl',
  'sslnegotiation',
  'enableChannelBinding',
  'client_encoding',
  'options',
] as const satisfies readonly (keyof ClientConfig)[];

/** Settings that can be handed to another thread. */
export interface HelperSettings {
  readonly config: ClientConfig;
  readonly asksPassword: boolean;
  readonly asksIdentity: boolean;
}

/** Functions of the configuration, which stay on the main side and answer the thread. */
export interface HelperCallbacks {
  readonly password?: () => string | Promise<string>;
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

export interface SplitSettings {
  readonly settings: HelperSettings;
  readonly callbacks: HelperCallbacks;
}

/** Splits a configuration into what can be sent and what must be asked; null when a thread cannot use it. */
export function splitSettings(given: string | ClientConfig): SplitSettings | null {
  const source: ClientConfig = typeof given === 'string' ? { connectionString: given } : given;
  if (source.stream !== undefined) return null;
  const picked = pickConnectionKeys(source);
  const { password, ssl, ...rest } = picked;
  const config: ClientConfig = rest;
  if (typeof password === 'string') config.password = password;
  const checkServerIdentity = typeof ssl === 'object' ? ssl.checkServerIdentity : undefined;
  if (ssl !== undefined) config.ssl = typeof ssl === 'object' ? plainTls(ssl) : ssl;
  if (!canBeCloned(config)) return null;
  return {
    settings: {
      config,
      asksPassword: typeof password === 'function',
      asksIdentity: checkServerIdentity !== undefined,
    },
    callbacks: {
      ...(typeof password === 'function' && { password }),
      ...(checkServerIdentity !== undefined && { checkServerIdentity }),
    },
  };
}

function pickConnectionKeys(source: ClientConfig): ClientConfig {
  const entries = connectionKeys.map((key) => [key, source[key]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The driver makes `key` non-enumerable on the caller's own object, so a spread alone would lose it. */
function plainTls(ssl: ConnectionOptions): ConnectionOptions {
  const { checkServerIdentity: _asked, ...rest } = ssl;
  return ssl.key === undefined ? rest : { ...rest, key: ssl.key };
}

function canBeCloned(config: ClientConfig): boolean {
  try {
    structuredClone(config);
    return true;
  } catch {
    return false;
  }
}
