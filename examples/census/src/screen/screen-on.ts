import { PlainScreen } from './plain-screen.js';
import type { Screen } from './screen.js';
import { TerminalScreen } from './terminal-screen.js';

export function screenOn(out: NodeJS.WriteStream): Screen {
  return out.isTTY && process.env['TERM'] !== 'dumb' ? new TerminalScreen(out) : new PlainScreen(out);
}
