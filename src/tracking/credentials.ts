/** An address with the user and the password before its host. */
const CREDENTIALS = /(https?:\/\/)[^/@\s]*@/gi;

/** Text without the credentials of addresses: records, reports and messages never have them. */
export const withoutCredentials = (text: string): string => text.replace(CREDENTIALS, "$1");
