import type { IncomingMessage } from "node:http";

/** Bytes of the longest body: what the page sends are settings. */
const LONGEST_BODY = 1 << 20;

/** A request that cannot be read, with the status that says so. */
export class BadRequest extends Error {
  override name = "BadRequest";
  constructor(
    readonly status: 400 | 413 | 415,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The body of a POST. Only JSON is taken: a form of another page can send text and fields without asking this server
 * first, but not JSON.
 */
export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const [type] = (request.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw new BadRequest(415, "a POST to the studio has a body of type application/json");
  const parts: Buffer[] = [];
  let size = 0;
  // A request that is destroyed could not be answered.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    size += (part as Buffer).length;
    if (size > LONGEST_BODY)
      throw new BadRequest(413, `the body is longer than ${LONGEST_BODY} bytes: send less`);
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new BadRequest(400, "the body is no JSON");
  }
}
