// A data provider of react-admin for restwright's resources.
import type { DataProvider, GetListParams } from "ra-core";
import { Api, ApiError, type Settings, mergePatch } from "./restwright.js";

export function dataProvider(settings: Settings): DataProvider {
  const api = new Api(settings);

  async function list(resource: string, { pagination, sort, filter }: GetListParams) {
    const { page = 1, perPage = 25 } = pagination ?? {};
    const orderBy = sort ? [sort.order === "DESC" ? `-${sort.field}` : sort.field] : [];
    const found = await api.list(resource, { page, limit: perPage, orderBy, filter: filter ?? {} });
    const pageInfo = { hasNextPage: found.pagination.has_more, hasPreviousPage: page > 1 };
    return { data: found.data, total: found.pagination.total, pageInfo };
  }

  return {
    getList: list,
    getOne: async (resource, { id }) => ({ data: await api.view(resource, id) }),
    getMany: async (resource, { ids }) => {
      const found = await Promise.all(ids.map((id) => api.view(resource, id).catch(unlessMissing)));
      return { data: found.filter((entity) => entity !== undefined) };
    },
    getManyReference: (resource, { target, id, ...params }) =>
      list(resource, { ...params, filter: { ...params.filter, [target]: id } }),
    create: async (resource, { data }) => ({ data: await api.create(resource, data) }),
    // The form has all fields, and the request only the changed ones.
    update: async (resource, { id, data, previousData }) => ({
      data: await api.update(resource, id, mergePatch(previousData ?? {}, data)),
    }),
    updateMany: async (resource, { ids, data }) => {
      await api.updateMany(resource, ids, data);
      return { data: ids };
    },
    delete: async (resource, { id, previousData }) => {
      await api.delete(resource, id);
      return { data: previousData as any };
    },
    deleteMany: async (resource, { ids }) => {
      await api.deleteMany(resource, ids);
      return { data: ids };
    },
  };
}

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
