const MOST = 200

/** The first line of an error, without quoted values, URLs, e-mail addresses and long tokens: they may be secrets. */
export const errorWithoutValues = (text: string): string =>
  (text.split('\n')[0] ?? '')
    .replaceAll(/\b\w+:\/\/\S+/g, '…')
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`|\([^)]*\)/g, '…')
    .replaceAll(/\S+@\S+/g, '…')
    .replaceAll(/\S*_\S{16,}|\b(?=\w*\d)\w{24,}\b/g, '…')
    .slice(0, MOST)
