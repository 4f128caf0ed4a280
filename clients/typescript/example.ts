// A first memory with openapi-fetch, which checks paths, bodies and answers by the generated types.
import createClient from "openapi-fetch";

import type { components, paths } from "./schema.js";

type Context = components["schemas"]["ContextOutput"];
type Pending = components["schemas"]["PendingOutput"];

export async function makeFirstMemory(baseUrl: string, key: string, subjectId: string): Promise<Context> {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
  const path = { subject_id: subjectId };

  const { error } = await client.POST("/v1/subjects/{subject_id}/conversations/{conversation_id}/messages", {
    params: { path: { ...path, conversation_id: "c1" }, header: { "Idempotency-Key": crypto.randomUUID() } },
    body: { messages: [{ role: "user", content: "I moved to Zürich" }] },
  });
  if (error) throw new Error(error.detail);

  let pending: Pending | undefined;
  do {
    await new Promise((done) => setTimeout(done, 200));
    pending = (await client.GET("/v1/subjects/{subject_id}/pending", { params: { path } })).data;
  } while (pending && pending.pending > 0);

  const context = await client.POST("/v1/subjects/{subject_id}/context", {
    params: { path },
    body: { query: "Where do I live?" },
  });
  if (!context.data) throw new Error(context.error.detail);
  return context.data;
}
