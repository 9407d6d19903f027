// The requests of an admin page to restwright's resources, for the data providers of react-admin and refine.

export type Id = string | number;
export type Fields = Record<string, unknown>;

export interface Settings {
  /** The address of the application, such as `https://api.example.com`. */
  url: string;
  /** Headers of each request, such as the API key. */
  headers?: () => Record<string, string>;
  /** The resources with `batch`. Bulk changes of other resources are one request for each entity. */
  batches?: string[];
}

export interface ListOptions {
  page: number;
  limit: number;
  /** Such as `["-created_at", "title"]`. */
  orderBy: string[];
  /** A value, a list of values, or values by operators: `{ state: "open", id: ["1", "2"], title: { contains: "roof" } }`. */
  filter: Fields;
}

export interface List {
  data: any[];
  pagination: { total?: number; has_more: boolean };
}

/** A rejected request. react-admin reads `status` and `body.errors`, refine reads `statusCode` and `errors`. */
export class ApiError extends Error {
  readonly status: number;
  readonly statusCode: number;
  /** Messages by fields of the form, such as `lines.0.text`. */
  readonly errors: Record<string, string> = {};
  readonly body: { errors: Record<string, string> };

  constructor(status: number, problem: any) {
    const messages = [problem?.detail ?? problem?.title ?? `The response has the status ${status}.`];
    const fields: [string, string][] = [];
    for (const violation of problem?.errors ?? []) {
      const names = violation.pointer.split("/").slice(1);
      const field = names.map((name: string) => name.replaceAll("~1", "/").replaceAll("~0", "~")).join(".");
      if (violation.in === "body" && field) fields.push([field, violation.message]);
      else messages.push(`${field} ${violation.message}`);
    }
    super(messages.join(" "));
    this.status = this.statusCode = status;
    this.errors = Object.fromEntries(fields);
    this.body = { errors: this.errors };
  }
}

export class Api {
  readonly settings: Settings;
  // The tags of the entities that were viewed, for If-Match.
  readonly #tags = new Map<string, string>();

  constructor(settings: Settings) {
    this.settings = settings;
  }

  async list(resource: string, { page, limit, orderBy, filter }: ListOptions): Promise<List> {
    const query = new URLSearchParams({ page: String(page), limit: String(limit) });
    if (orderBy.length > 0) query.set("order_by", orderBy.join(","));
    for (const [name, condition] of Object.entries(filter)) {
      if (condition && typeof condition === "object" && !Array.isArray(condition)) {
        Object.entries(condition).forEach(([operator, value]) => query.set(`${name}[${operator}]`, written(value)));
      } else if (condition !== undefined && condition !== "") {
        query.set(Array.isArray(condition) ? `${name}[in]` : name, written(condition));
      }
    }
    return this.#send("GET", `${resource}?${query}`);
  }

  async view(resource: string, id: Id): Promise<any> {
    return (await this.#send("GET", path(resource, id), undefined, {}, true)).data;
  }

  async create(resource: string, entity: unknown): Promise<any> {
    return (await this.#send("POST", resource, entity)).data;
  }

  /** Fails with 412 if the entity has changed since it was viewed. */
  async update(resource: string, id: Id, changes: unknown): Promise<any> {
    return (await this.#send("PATCH", path(resource, id), changes, this.#condition(resource, id), true)).data;
  }

  /** Fails with 412 if the entity has changed since it was viewed. */
  async delete(resource: string, id: Id): Promise<void> {
    await this.#send("DELETE", path(resource, id), undefined, this.#condition(resource, id));
    this.#tags.delete(path(resource, id));
  }

  async updateMany(resource: string, ids: Id[], changes: unknown): Promise<void> {
    await this.#many(resource, ids, "PATCH", "batch", (id) => ({ id, changes }), changes);
  }

  async deleteMany(resource: string, ids: Id[]): Promise<void> {
    await this.#many(resource, ids, "DELETE", "batch/delete", (id) => ({ id }));
  }

  // A batch of up to 100 entities succeeds or fails as a whole.
  async #many(resource: string, ids: Id[], method: string, batch: string, item: (id: Id) => unknown, body?: unknown) {
    ids.forEach((id) => this.#tags.delete(path(resource, id)));
    if (!this.settings.batches?.includes(resource)) {
      await Promise.all(ids.map((id) => this.#send(method, path(resource, id), body)));
      return;
    }
    for (let start = 0; start < ids.length; start += 100) {
      const data = ids.slice(start, start + 100).map(item);
      await this.#send(method === "PATCH" ? "PATCH" : "POST", `${resource}/${batch}`, { data });
    }
  }

  #condition(resource: string, id: Id): Record<string, string> {
    const tag = this.#tags.get(path(resource, id));
    return tag ? { "If-Match": tag } : {};
  }

  async #send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, isTagged = false) {
    const response = await fetch(`${this.settings.url}/${path}`, {
      method,
      headers: { Accept: "application/json", "Content-Type": "application/json", ...this.settings.headers?.(), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const isJson = response.headers.get("Content-Type")?.includes("json");
    const content = isJson ? await response.json() : await response.text();
    if (!response.ok) throw new ApiError(response.status, isJson ? content : undefined);
    const tag = response.headers.get("ETag");
    if (isTagged && tag) this.#tags.set(path, tag);
    return content as any;
  }
}

function path(resource: string, id: Id): string {
  return `${resource}/${encodeURIComponent(id)}`;
}

// In a list, a backslash precedes each comma and backslash of a value.
function written(value: unknown): string {
  return Array.isArray(value) ? value.map((item) => String(item).replace(/[\\,]/g, "\\$&")).join(",") : String(value);
}

/** Returns the merge patch (RFC 7396) between two states of an entity. */
export function mergePatch(before: Fields, after: Fields): Fields {
  const patch: Fields = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, value] = [before[name], after[name]];
    if (JSON.stringify(old) === JSON.stringify(value)) continue;
    patch[name] = isObject(old) && isObject(value) ? mergePatch(old, value) : (value ?? null);
  }
  return patch;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
