// A data provider of refine for restwright's resources.
import type { CrudFilter, DataProvider } from "@refinedev/core";
import { Api, type Fields, type Settings } from "./restwright.js";

export function dataProvider(settings: Settings): Required<Omit<DataProvider, "custom" | "getMany" | "createMany">> {
  const api = new Api(settings);
  return {
    getApiUrl: () => settings.url,
    getList: async ({ resource, pagination, sorters, filters }) => {
      const { currentPage: page = 1, pageSize: limit = 10 } = pagination ?? {};
      const orderBy = (sorters ?? []).map(({ field, order }) => (order === "desc" ? `-${field}` : field));
      const found = await api.list(resource, { page, limit, orderBy, filter: conditions(filters ?? []) });
      // Without a total, the pages up to the next one.
      const known = (page - 1) * limit + found.data.length + (found.pagination.has_more ? 1 : 0);
      return { data: found.data, total: found.pagination.total ?? known };
    },
    getOne: async ({ resource, id }) => ({ data: await api.view(resource, id) }),
    create: async ({ resource, variables }) => ({ data: await api.create(resource, variables) }),
    update: async ({ resource, id, variables }) => ({ data: await api.update(resource, id, variables) }),
    updateMany: async ({ resource, ids, variables }) => {
      await api.updateMany(resource, ids, variables);
      return { data: [] };
    },
    deleteOne: async ({ resource, id }) => {
      await api.delete(resource, id);
      return { data: { id } as any };
    },
    deleteMany: async ({ resource, ids }) => {
      await api.deleteMany(resource, ids);
      return { data: [] };
    },
  };
}

const OPERATORS: Record<string, string> = { startswith: "starts_with", endswith: "ends_with", null: "is_null", nnull: "is_null" };

function conditions(filters: CrudFilter[]): Fields {
  const found: Record<string, Fields | unknown> = {};
  for (const filter of filters) {
    if (!("field" in filter)) throw new Error("`or` and `and` need a QUERY request, which this provider does not send");
    const { field, operator, value } = filter;
    if (operator === "eq") found[field] = value;
    else {
      const name = OPERATORS[operator] ?? operator;
      const operand = name === "is_null" ? operator === "null" : value;
      found[field] = { ...(found[field] as Fields), [name]: operand };
    }
  }
  return found;
}
