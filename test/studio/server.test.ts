import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bodyOf } from "../../src/studio/server/body.js";
import { inside } from "../../src/studio/server/inside.js";
import { type StudioServer, startStudio } from "../../src/studio/server/server.js";

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

describe("the studio's server", () => {
  let server: StudioServer;
  beforeAll(async () => {
    server = await startStudio();
  });
  afterAll(() => server.close());

  /** A request with headers that a browser would not let a page choose. */
  const ask = (
    path: string,
    { method = "GET", headers = {}, body = "" }: { method?: string; headers?: object; body?: string } = {},
  ) =>
    new Promise<Reply>((resolve, reject) => {
      const asked = request(
        {
          port: server.port,
          host: "127.0.0.1",
          path,
          method,
          headers: { cookie: server.cookie, ...headers },
        },
        (response) => {
          let text = "";
          response.on("data", (part) => {
            text += part;
          });
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
        },
      );
      asked.on("error", reject);
      asked.end(body);
    });

  it("listens on the loopback interface, and its address has a token that becomes a cookie", async () => {
    const { pathname, searchParams, hostname } = new URL(server.url);
    expect(hostname).toBe("127.0.0.1");
    expect(searchParams.get("token")).toMatch(/^[\w-]{32}$/);
    const reply = await ask(`${pathname}${new URL(server.url).search}`, { headers: { cookie: "" } });
    expect(reply.status).toBe(303);
    expect(reply.headers.location).toBe("/");
    expect(reply.headers["set-cookie"]).toEqual([`${server.cookie}; HttpOnly; SameSite=Strict; Path=/`]);
    expect((await ask("/")).status).toBe(200);
  });

  it("names the cookie by its port, so that two studios stand beside each other", async () => {
    const other = await startStudio();
    try {
      expect(other.cookie.split("=")[0]).not.toBe(server.cookie.split("=")[0]);
      const both = { cookie: `${other.cookie}; ${server.cookie}` };
      expect((await ask("/api/folder", { headers: both })).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  it("refuses whoever has no token or a wrong one, with one line", async () => {
    const name = server.cookie.split("=")[0];
    for (const cookie of ["", `${name}=`, `${name}=wrong`, "other=1", `${server.cookie}x`])
      for (const path of ["/", "/index.html", "/api/folder", "/?token=wrong", "/?token="]) {
        const reply = await ask(path, { headers: { cookie, accept: "text/html" } });
        expect(reply.status, `${cookie} ${path}`).toBe(403);
        expect(reply.text).toContain("open the address that the command printed");
        expect(reply.headers["set-cookie"]).toBeUndefined();
      }
    const asProgram = await ask("/api/folder", { headers: { cookie: "" } });
    expect(JSON.parse(asProgram.text).error).toContain("token");
  });

  it.each(["evil.example", "127.0.0.1:1", "127.0.0.1", "localhost.evil.example:PORT", "0.0.0.0:PORT"])(
    "refuses the Host %s",
    async (host) => {
      const reply = await ask("/", { headers: { host: host.replace("PORT", String(server.port)) } });
      expect(reply.status).toBe(403);
    },
  );

  it("answers as 127.0.0.1, localhost and [::1]", async () => {
    for (const host of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
      expect((await ask("/", { headers: { host: `${host}:${server.port}` } })).status, host).toBe(200);
  });

  it.each(["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:PORT", ""])(
    "refuses the Origin %j",
    async (origin) => {
      const headers = { origin: origin.replace("PORT", String(server.port)) };
      expect((await ask("/api/folder", { headers })).status).toBe(403);
    },
  );

  it("refuses what other sites ask the browser to send, also with the cookie or the token", async () => {
    for (const site of ["cross-site", "same-site", "whatever"]) {
      const headers = { "sec-fetch-site": site };
      expect((await ask("/api/folder", { headers })).status).toBe(403);
      expect((await ask(`/${new URL(server.url).search}`, { headers })).status).toBe(403);
    }
    const own = { "sec-fetch-site": "same-origin", origin: server.origin.replace(/\/$/, "") };
    expect((await ask("/api/folder", { headers: own })).status).toBe(200);
  });

  it("answers no other method than GET and POST, and POST only where there is a route", async () => {
    expect((await ask("/api/folder", { method: "POST", body: "{}" })).status).toBe(404);
    expect((await ask("/", { method: "POST" })).status).toBe(404);
    for (const method of ["PUT", "DELETE", "OPTIONS", "PATCH"])
      expect((await ask("/api/folder", { method })).status, method).toBe(405);
  });

  it("lets no other site read an answer, and no page but its own run", async () => {
    const { headers } = await ask("/");
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(headers["content-security-policy"]).toContain("default-src 'self'");
    expect(headers["content-security-policy"]).toContain("script-src 'self' 'wasm-unsafe-eval';");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["cross-origin-embedder-policy"]).toBe("require-corp");
  });

  it("serves nothing but the page's own files", async () => {
    for (const path of [
      ...["/../package.json", "/..%2f..%2fpackage.json", "/%2e%2e/%2e%2e/package.json", "/assets/../../x.js"],
      ...["//etc/passwd", "/..\\..\\package.json", "/%00.js", "/assets/%00", "/assets", "/x.js"],
    ])
      expect((await ask(path)).status, path).toBe(404);
  });

  it("compresses files for those who accept it: the page may be far away", async () => {
    const path = /src="\.(\/assets\/[^"]+\.js)"/.exec((await ask("/")).text)![1];
    const fetched = (encoding: string) =>
      fetch(server.origin.slice(0, -1) + path, {
        headers: { cookie: server.cookie, "accept-encoding": encoding },
      });
    const [plain, packed] = [await fetched("identity"), await fetched("gzip, deflate, br")];
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(packed.headers.get("content-encoding")).toBe("br");
    for (const { headers } of [plain, packed]) expect(headers.get("vary")).toBe("Accept-Encoding");
    expect(Number(packed.headers.get("content-length"))).toBeLessThan(
      Number(plain.headers.get("content-length")) / 2,
    );
    expect(await packed.text()).toBe(await plain.text());
  });

  it("lives on after requests that make no sense", async () => {
    const raw = (text: string) =>
      new Promise<void>((resolve) => {
        const socket = connect(server.port, "127.0.0.1", () => socket.write(text));
        socket.on("close", () => resolve());
        socket.on("error", () => resolve());
        socket.on("data", () => socket.end());
        setTimeout(() => socket.destroy(), 500);
      });
    const host = `Host: 127.0.0.1:${server.port}\r\nCookie: ${server.cookie}`;
    for (const text of [
      "nonsense\r\n\r\n",
      `GET http://[ HTTP/1.1\r\n${host}\r\n\r\n`,
      `GET // HTTP/1.1\r\n${host}\r\n\r\n`,
      `GET /%ff%fe%c0 HTTP/1.1\r\n${host}\r\n\r\n`,
      `GET * HTTP/1.1\r\n${host}\r\n\r\n`,
      `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}\r\nX: ${"x".repeat(100_000)}\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`,
      `POST /api/folder HTTP/1.1\r\n${host}\r\nContent-Length: 10\r\n\r\nabc`,
      "GET / HTTP/1.1\r\n\r\n",
    ])
      await raw(text);
    expect((await ask("/api/folder")).status).toBe(200);
  });

  it("says in one line that a port is taken", async () => {
    await expect(startStudio({ port: server.port })).rejects.toThrow(
      `port ${server.port} is taken: give another --port, or none for a free one`,
    );
  });
});

describe("the body of a POST", () => {
  const given: unknown[] = [];
  const server = createServer((request, response) => {
    bodyOf(request).then(
      (body) => {
        given.push(body);
        response.end();
      },
      (error) => response.writeHead(error.status, { Connection: "close" }).end(error.message),
    );
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve())));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const post = async (type: string, body: string) => {
    const { port } = server.address() as AddressInfo;
    const headers = { "content-type": type };
    return fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body });
  };

  it("is JSON of at most a mebibyte", async () => {
    expect((await post("application/json; charset=utf-8", '{"a":[1]}')).status).toBe(200);
    expect(given).toEqual([{ a: [1] }]);
    expect((await post("application/json", "{")).status).toBe(400);
    expect((await post("application/json", JSON.stringify("x".repeat(2 ** 20)))).status).toBe(413);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
      expect((await post(type, '{"a":1}')).status, type).toBe(415);
    expect(given).toHaveLength(1);
  });
});

describe("paths that the page asks for", () => {
  const around = mkdtempSync(join(tmpdir(), "pde-dirichlet-inside-"));
  const folder = join(around, "open");
  mkdirSync(join(folder, "deep"), { recursive: true });
  mkdirSync(join(around, "open-too"));
  writeFileSync(join(folder, "deep", "a.h5"), "");
  writeFileSync(join(around, "secret"), "");
  symlinkSync(join(around, "secret"), join(folder, "link"));
  symlinkSync(around, join(folder, "up"));
  symlinkSync(join(around, "open-too"), join(folder, "beside"));
  symlinkSync("deep", join(folder, "within"));
  afterAll(() => rmSync(around, { recursive: true, force: true }));

  it("are found below the folder, also through links within it", async () => {
    const real = realpathSync(folder);
    expect(await inside(folder, "deep/a.h5")).toBe(join(real, "deep", "a.h5"));
    expect(await inside(folder, "within/a.h5")).toBe(join(real, "deep", "a.h5"));
    expect(await inside(folder, "")).toBe(real);
    expect(await inside(folder, ".")).toBe(real);
  });

  it.each([
    ...[
      "..",
      "../secret",
      "deep/../../secret",
      "..\\secret",
      "/etc/passwd",
      "\\\\server\\share",
      "C:\\x",
      "c:x",
    ],
    ...["link", "up", "up/secret", "up/open/deep/a.h5/../../../secret", "beside", "deep/a.h5\0", "missing"],
  ])("are refused outside of it: %j", async (path) => {
    await expect(inside(folder, path)).rejects.toMatchObject({
      name: "FileError",
      message: expect.not.stringContaining(around),
    });
  });
});
