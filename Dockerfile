# syntax=docker/dockerfile:1
# Built once with everything, shipped with next to nothing: Node, two folders, no npm, no compiler, no root.

FROM node:24-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node tools/build.mjs && mkdir -p /out/data && cp -r bin dist package.json LICENSE /out/

FROM node:24-slim
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn*
COPY --from=build /out/bin /app/bin
COPY --from=build /out/dist /app/dist
COPY --from=build /out/package.json /out/LICENSE /app/
COPY --from=build --chown=1000:1000 /out/data /data
RUN ln -s /app/bin/taco /usr/local/bin/taco
USER 1000:1000
WORKDIR /data
ENV NODE_ENV=production \
    TACO_BUCKET=file:///data \
    TACO_LISTEN=0.0.0.0:8226 \
    TACO_AUTH=token
VOLUME /data
EXPOSE 8226
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8226/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/taco"]
CMD ["serve"]
