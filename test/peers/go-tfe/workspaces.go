package main

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"fmt"

	tfe "github.com/hashicorp/go-tfe"
)

func users(w *walk) {
	me, err := w.client.Users.ReadCurrent(w.ctx)
	w.must("read", err)
	w.user = me.ID
	w.is("says who it is", me.Username != "" && me.ID != "", me)
}

func organizations(w *walk) {
	name := fresh("walked")
	made, err := w.client.Organizations.Create(w.ctx, tfe.OrganizationCreateOptions{
		Name: tfe.String(name), Email: tfe.String("a@example.com"),
	})
	w.must("create", err)
	w.is("is called by its name", made.Name == name, made)
	read, err := w.client.Organizations.Read(w.ctx, name)
	w.must("read", err)
	w.is("has an e-mail address", read.Email == "a@example.com", read)
	w.is("says what may be done", read.Permissions != nil && read.Permissions.CanUpdate, read.Permissions)
	w.is("has a default project", read.DefaultProject != nil && read.DefaultProject.ID != "", read.DefaultProject)
	changed, err := w.client.Organizations.Update(w.ctx, name, tfe.OrganizationUpdateOptions{
		Email: tfe.String("b@example.com"), DefaultExecutionMode: tfe.String("local"),
	})
	w.did("update", err)
	if err == nil {
		w.is("keeps the update", changed.Email == "b@example.com" && changed.DefaultExecutionMode == "local", changed)
	}
	w.pages("list", 2, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.Organizations.List(w.ctx, &tfe.OrganizationListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.Name)
		}
		return list.Pagination, ids, nil
	})
	entitled, err := w.client.Organizations.ReadEntitlements(w.ctx, name)
	w.must("entitlements", err)
	w.is("may store states", entitled.StateStorage, entitled)
	_, err = w.client.Organizations.ReadCapacity(w.ctx, name)
	w.did("capacity", err)
	_, err = w.client.Organizations.ReadRunQueue(w.ctx, name, tfe.ReadRunQueueOptions{})
	w.did("run queue", err)
	w.did("delete", w.client.Organizations.Delete(w.ctx, name))
	_, err = w.client.Organizations.Read(w.ctx, name)
	w.gone("is gone", err)
}

func projects(w *walk) {
	one, two := w.project(), w.project()
	read, err := w.client.Projects.Read(w.ctx, one.ID)
	w.must("read", err)
	w.is("has a name and an organization", read.Name == one.Name && read.Organization.Name == w.org, read)
	changed, err := w.client.Projects.Update(w.ctx, one.ID, tfe.ProjectUpdateOptions{Description: tfe.String("what for")})
	w.must("update", err)
	w.is("keeps the update", changed.Description == "what for" && changed.Name == one.Name, changed)
	bound, err := w.client.Projects.AddTagBindings(w.ctx, one.ID, tfe.ProjectAddTagBindingsOptions{
		TagBindings: []*tfe.TagBinding{{Key: "env", Value: "prod"}},
	})
	w.did("tag bindings", err)
	if err == nil {
		w.is("has the binding", len(bound) == 1 && bound[0].Value == "prod", bound)
	}
	_, err = w.client.Projects.ListTagBindings(w.ctx, one.ID)
	w.did("list tag bindings", err)
	_, err = w.client.Projects.ListEffectiveTagBindings(w.ctx, one.ID)
	w.did("list effective tag bindings", err)
	w.did("delete all tag bindings", w.client.Projects.DeleteAllTagBindings(w.ctx, one.ID))
	w.pages("list", 3, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.Projects.List(w.ctx, w.org, &tfe.ProjectListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	named, err := w.client.Projects.List(w.ctx, w.org, &tfe.ProjectListOptions{Name: two.Name})
	w.must("list by name", err)
	w.is("finds one", len(named.Items) == 1, named.Items)
	w.did("delete", w.client.Projects.Delete(w.ctx, one.ID))
	w.did("delete the other", w.client.Projects.Delete(w.ctx, two.ID))
	_, err = w.client.Projects.Read(w.ctx, one.ID)
	w.gone("is gone", err)
}

func workspaces(w *walk) {
	project := w.project()
	name := fresh("app") + "--prod"
	made, err := w.client.Workspaces.Create(w.ctx, w.org, tfe.WorkspaceCreateOptions{
		Name:             tfe.String(name),
		Description:      tfe.String("first"),
		ExecutionMode:    tfe.String("local"),
		TerraformVersion: tfe.String("1.11.4"),
		WorkingDirectory: tfe.String("infra"),
		Project:          &tfe.Project{ID: project.ID},
		TagBindings:      []*tfe.TagBinding{{Key: "team", Value: "core"}},
	})
	w.must("create", err)
	w.is("keeps its settings", made.Name == name && made.Description == "first" && made.ExecutionMode == "local" &&
		made.TerraformVersion == "1.11.4" && made.WorkingDirectory == "infra" && made.Project.ID == project.ID, made)
	_, err = w.client.Workspaces.Create(w.ctx, w.org, tfe.WorkspaceCreateOptions{Name: tfe.String(name)})
	w.is("a name is given once", err != nil, err)
	read, err := w.client.Workspaces.ReadWithOptions(w.ctx, w.org, name, &tfe.WorkspaceReadOptions{
		Include: []tfe.WSIncludeOpt{tfe.WSOrganization, tfe.WSProject},
	})
	w.must("read", err)
	w.is("has what was asked to be included", read.Organization.Email != "" || read.Project.Name == project.Name, read.Project)
	w.is("says what may be done", read.Permissions != nil && read.Permissions.CanUpdate, read.Permissions)
	byID, err := w.client.Workspaces.ReadByID(w.ctx, made.ID)
	w.must("read by id", err)
	w.is("is the same", byID.Name == name, byID)
	changed, err := w.client.Workspaces.Update(w.ctx, w.org, name, tfe.WorkspaceUpdateOptions{
		Description: tfe.String("second"), AutoApply: tfe.Bool(true), TriggerPrefixes: []string{"modules"},
	})
	w.must("update", err)
	w.is("keeps the update", changed.Description == "second" && changed.AutoApply && len(changed.TriggerPrefixes) == 1, changed)
	renamed, err := w.client.Workspaces.UpdateByID(w.ctx, made.ID, tfe.WorkspaceUpdateOptions{Name: tfe.String(name + "2")})
	w.must("rename by id", err)
	w.is("has the new name and the old id", renamed.Name == name+"2" && renamed.ID == made.ID, renamed)
	others := []*tfe.Workspace{w.workspace(), w.workspace()}
	list := func(o *tfe.WorkspaceListOptions) []*tfe.Workspace {
		found, err := w.client.Workspaces.List(w.ctx, w.org, o)
		w.must("list", err)
		return found.Items
	}
	w.pages("list in pages", 3, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.Workspaces.List(w.ctx, w.org, &tfe.WorkspaceListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	w.is("search by name", len(list(&tfe.WorkspaceListOptions{Search: renamed.Name})) == 1, nil)
	w.is("search with a wildcard", len(list(&tfe.WorkspaceListOptions{WildcardName: "*--prod2"})) == 1, nil)
	w.is("filter by project", len(list(&tfe.WorkspaceListOptions{ProjectID: project.ID})) == 1, nil)
	w.is("filter by tag", len(list(&tfe.WorkspaceListOptions{TagBindings: []*tfe.TagBinding{{Key: "team", Value: "core"}}})) == 1, nil)
	sorted := list(&tfe.WorkspaceListOptions{Sort: "-name"})
	w.is("sort", len(sorted) > 1 && sorted[0].Name >= sorted[1].Name, nil)
	w.did("safe-delete", w.client.Workspaces.SafeDeleteByID(w.ctx, made.ID))
	_, err = w.client.Workspaces.ReadByID(w.ctx, made.ID)
	w.gone("is gone", err)
	w.did("delete by name", w.client.Workspaces.Delete(w.ctx, w.org, others[0].Name))
	w.did("delete by id", w.client.Workspaces.DeleteByID(w.ctx, others[1].ID))
	w.did("delete the project", w.client.Projects.Delete(w.ctx, project.ID))
}

func workspaceTags(w *walk) {
	ws := w.workspace()
	w.did("add tags", w.client.Workspaces.AddTags(w.ctx, ws.ID, tfe.WorkspaceAddTagsOptions{
		Tags: []*tfe.Tag{{Name: "one"}, {Name: "two"}, {Name: "three"}},
	}))
	w.pages("list tags", 3, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.Workspaces.ListTags(w.ctx, ws.ID, &tfe.WorkspaceTagListOptions{ListOptions: o})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.Name)
		}
		return list.Pagination, ids, nil
	})
	read, err := w.client.Workspaces.ReadByID(w.ctx, ws.ID)
	w.must("read", err)
	w.is("has tag names", len(read.TagNames) == 3, read.TagNames)
	w.did("remove tags", w.client.Workspaces.RemoveTags(w.ctx, ws.ID, tfe.WorkspaceRemoveTagsOptions{Tags: []*tfe.Tag{{Name: "one"}}}))
	bound, err := w.client.Workspaces.AddTagBindings(w.ctx, ws.ID, tfe.WorkspaceAddTagBindingsOptions{
		TagBindings: []*tfe.TagBinding{{Key: "env", Value: "prod"}},
	})
	w.must("add tag bindings", err)
	w.is("keeps the other tags", len(bound) == 3, bound)
	effective, err := w.client.Workspaces.ListEffectiveTagBindings(w.ctx, ws.ID)
	w.must("list effective tag bindings", err)
	w.is("has all of them", len(effective) == 3, effective)
	w.did("delete all tag bindings", w.client.Workspaces.DeleteAllTagBindings(w.ctx, ws.ID))
	none, err := w.client.Workspaces.ListTagBindings(w.ctx, ws.ID)
	w.must("list tag bindings", err)
	w.is("has none", len(none) == 0, none)
}

func workspaceLocks(w *walk) {
	ws := w.workspace()
	locked, err := w.client.Workspaces.Lock(w.ctx, ws.ID, tfe.WorkspaceLockOptions{Reason: tfe.String("because")})
	w.must("lock", err)
	w.is("is locked", locked.Locked, locked)
	_, err = w.client.Workspaces.Lock(w.ctx, ws.ID, tfe.WorkspaceLockOptions{})
	w.is("is locked once", err == tfe.ErrWorkspaceLocked, err)
	free, err := w.client.Workspaces.Unlock(w.ctx, ws.ID)
	w.must("unlock", err)
	w.is("is free", !free.Locked, free)
	_, err = w.client.Workspaces.Unlock(w.ctx, ws.ID)
	w.is("is unlocked once", err == tfe.ErrWorkspaceNotLocked, err)
	_, err = w.client.Workspaces.Lock(w.ctx, ws.ID, tfe.WorkspaceLockOptions{})
	w.must("lock again", err)
	_, err = w.client.Workspaces.ForceUnlock(w.ctx, ws.ID)
	w.did("force-unlock", err)
	_, err = w.client.Workspaces.ForceUnlock(w.ctx, ws.ID)
	w.is("is force-unlocked once", err == tfe.ErrWorkspaceNotLocked, err)
}

func remoteStateConsumers(w *walk) {
	ws, other, third := w.workspace(), w.workspace(), w.workspace()
	_, err := w.client.Workspaces.UpdateByID(w.ctx, ws.ID, tfe.WorkspaceUpdateOptions{GlobalRemoteState: tfe.Bool(false)})
	w.did("not for everybody", err)
	w.did("add", w.client.Workspaces.AddRemoteStateConsumers(w.ctx, ws.ID, tfe.WorkspaceAddRemoteStateConsumersOptions{
		Workspaces: []*tfe.Workspace{other, third},
	}))
	list := func() []*tfe.Workspace {
		found, err := w.client.Workspaces.ListRemoteStateConsumers(w.ctx, ws.ID, nil)
		w.must("list", err)
		return found.Items
	}
	w.is("has both", len(list()) == 2, nil)
	w.did("remove", w.client.Workspaces.RemoveRemoteStateConsumers(w.ctx, ws.ID, tfe.WorkspaceRemoveRemoteStateConsumersOptions{
		Workspaces: []*tfe.Workspace{third},
	}))
	w.is("has one", len(list()) == 1, nil)
	w.did("replace", w.client.Workspaces.UpdateRemoteStateConsumers(w.ctx, ws.ID, tfe.WorkspaceUpdateRemoteStateConsumersOptions{
		Workspaces: []*tfe.Workspace{third},
	}))
	left := list()
	w.is("has the other one", len(left) == 1 && left[0].ID == third.ID, nil)
}

func stateOf(serial int) []byte {
	return []byte(fmt.Sprintf(`{"version":4,"terraform_version":"1.11.4","serial":%d,"lineage":"walk","outputs":{"zone":{"value":"z%d","type":"string"},"secret":{"value":"s","type":"string","sensitive":true}},"resources":[{"mode":"managed","type":"terraform_data","name":"a","provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[{"schema_version":0,"attributes":{"id":"1"}}]}],"check_results":null}`, serial, serial))
}

// states writes states through both ways of this API.
func (w *walk) states(ws *tfe.Workspace) []*tfe.StateVersion {
	_, err := w.client.Workspaces.Lock(w.ctx, ws.ID, tfe.WorkspaceLockOptions{})
	w.must("lock", err)
	var made []*tfe.StateVersion
	for serial := 1; serial <= 3; serial++ {
		raw := stateOf(serial)
		options := tfe.StateVersionCreateOptions{
			Lineage: tfe.String("walk"), Serial: tfe.Int64(int64(serial)), MD5: tfe.String(fmt.Sprintf("%x", md5.Sum(raw))),
		}
		var one *tfe.StateVersion
		if serial == 1 {
			options.State = tfe.String(base64.StdEncoding.EncodeToString(raw))
			one, err = w.client.StateVersions.Create(w.ctx, ws.ID, options)
			w.must("create inline", err)
		} else {
			one, err = w.client.StateVersions.Upload(w.ctx, ws.ID, tfe.StateVersionUploadOptions{
				StateVersionCreateOptions: options, RawState: raw,
			})
			w.must("upload", err)
		}
		made = append(made, one)
	}
	_, err = w.client.Workspaces.Unlock(w.ctx, ws.ID)
	w.must("unlock", err)
	return made
}

func stateVersions(w *walk) {
	ws := w.workspace()
	_, err := w.client.StateVersions.ReadCurrent(w.ctx, ws.ID)
	w.gone("there is none at first", err)
	made := w.states(ws)
	current, err := w.client.StateVersions.ReadCurrent(w.ctx, ws.ID)
	w.must("read the current one", err)
	w.is("is the last one", current.ID == made[2].ID && current.Serial == 3, current)
	old, err := w.client.StateVersions.Read(w.ctx, made[0].ID)
	w.must("read an old one", err)
	w.is("is finalized", old.Status == tfe.StateVersionFinalized && old.Serial == 1, old)
	for i, one := range made {
		read, err := w.client.StateVersions.Read(w.ctx, one.ID)
		w.must("read", err)
		content, err := w.client.StateVersions.Download(w.ctx, read.DownloadURL)
		w.must("download", err)
		w.is("an id gives its very bytes", bytes.Equal(content, stateOf(i+1)), string(content))
	}
	w.pages("list", 3, func(o tfe.ListOptions) (*tfe.Pagination, []string, error) {
		list, err := w.client.StateVersions.List(w.ctx, &tfe.StateVersionListOptions{
			ListOptions: o, Organization: w.org, Workspace: ws.Name,
		})
		if err != nil {
			return nil, nil, err
		}
		ids := []string{}
		for _, one := range list.Items {
			ids = append(ids, one.ID)
		}
		return list.Pagination, ids, nil
	})
	outputs, err := w.client.StateVersions.ListOutputs(w.ctx, made[1].ID, nil)
	w.must("list outputs", err)
	w.is("has outputs of that time", len(outputs.Items) == 2, outputs.Items)
	for _, output := range outputs.Items {
		if output.Name == "zone" {
			w.is("has the value of that time", output.Value == "z2", output)
		} else {
			w.is("keeps sensitive values back", output.Sensitive && output.Value == nil, output)
		}
	}
}

func stateVersionOutputs(w *walk) {
	ws := w.workspace()
	w.states(ws)
	current, err := w.client.StateVersionOutputs.ReadCurrent(w.ctx, ws.ID)
	w.must("read the current ones", err)
	w.is("has both", len(current.Items) == 2, current.Items)
	for _, output := range current.Items {
		one, err := w.client.StateVersionOutputs.Read(w.ctx, output.ID)
		w.must("read", err)
		w.is("has a value", one.Value != nil && one.Name == output.Name, one)
	}
}

func workspaceResources(w *walk) {
	ws := w.workspace()
	w.states(ws)
	list, err := w.client.WorkspaceResources.List(w.ctx, ws.ID, nil)
	w.must("list", err)
	w.is("has the resource", len(list.Items) == 1 && list.Items[0].Address == "terraform_data.a", list.Items)
}

func organizationTags(w *walk) {
	ws, other := w.workspace(), w.workspace()
	tag := fresh("tag")
	w.must("tag a workspace", w.client.Workspaces.AddTags(w.ctx, ws.ID, tfe.WorkspaceAddTagsOptions{Tags: []*tfe.Tag{{Name: tag}}}))
	list, err := w.client.OrganizationTags.List(w.ctx, w.org, &tfe.OrganizationTagsListOptions{Query: tag})
	w.must("list", err)
	w.is("has it", len(list.Items) == 1 && list.Items[0].Name == tag && list.Items[0].InstanceCount == 1, list.Items)
	id := list.Items[0].ID
	w.did("add a workspace", w.client.OrganizationTags.AddWorkspaces(w.ctx, id, tfe.AddWorkspacesToTagOptions{WorkspaceIDs: []string{other.ID}}))
	w.did("delete", w.client.OrganizationTags.Delete(w.ctx, w.org, tfe.OrganizationTagsDeleteOptions{IDs: []string{id}}))
	read, err := w.client.Workspaces.ReadByID(w.ctx, other.ID)
	w.must("read a workspace", err)
	w.is("has lost it", len(read.TagNames) == 0, read.TagNames)
}

func reservedTagKeys(w *walk) {
	made, err := w.client.ReservedTagKeys.Create(w.ctx, w.org, tfe.ReservedTagKeyCreateOptions{
		Key: fresh("key"), DisableOverrides: tfe.Bool(false),
	})
	w.must("create", err)
	changed, err := w.client.ReservedTagKeys.Update(w.ctx, made.ID, tfe.ReservedTagKeyUpdateOptions{DisableOverrides: tfe.Bool(true)})
	w.must("update", err)
	w.is("keeps the update", changed.DisableOverrides && changed.Key == made.Key, changed)
	list, err := w.client.ReservedTagKeys.List(w.ctx, w.org, nil)
	w.must("list", err)
	w.is("has it", len(list.Items) >= 1, list.Items)
	w.did("delete", w.client.ReservedTagKeys.Delete(w.ctx, made.ID))
}
